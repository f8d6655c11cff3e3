import { createHmac } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Who is asking: the address that limits count for. */
export type Addresses = {
  /** Whether a peer is one of the proxies that may speak for others. */
  isProxy(peer: string | undefined): boolean;
  /** IPv4 address, or the /64 of an IPv6 one, as text: of the peer, or of whom its proxy says last in X-Forwarded-For, with a port or without. */
  of(peer: string | undefined, forwardedFor: string | undefined): string;
  /** A tag of an address that says nothing without the relay's secret: 16 hex digits. */
  tagOf(address: string): string;
};

/**
 * Reads CIDR ranges of trusted proxies (`10.0.0.0/8`, `fd00::/8`, or one address); throws a RangeError naming a bad one.
 * `onUnreadable` is called once, when a proxy first sends an entry that is no address.
 */
export function createAddresses(trustProxy: readonly string[], secret: Uint8Array, onUnreadable: () => void = () => {}): Addresses {
  const proxies = new BlockList();
  for (const range of trustProxy) {
    const [address = '', bits, ...rest] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const max = family === 'ipv6' ? 128 : 32;
    const size = bits === undefined ? max : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (isIP(address) === 0 || rest.length > 0 || size < 0 || size > max) throw new RangeError(`${range.slice(0, 60)} is no address range`);
    proxies.addSubnet(address, size, family);
  }
  const isProxy = (peer: string | undefined): boolean => {
    const address = plain(peer ?? '');
    return isIP(address) !== 0 && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
  let told = false;
  return {
    isProxy,
    of(peer, forwardedFor) {
      const own = plain(peer ?? '');
      if (!isProxy(own)) return group(own);
      // The last entry is the one that our own proxy wrote; those before it are the sender's to make up.
      if (forwardedFor === undefined) return group(own);
      const last = plain(withoutPort(forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim()));
      if (isIP(last) !== 0) return group(last);
      if (!told) onUnreadable();
      told = true;
      return group(own);
    },
    tagOf: (address) => createHmac('sha256', secret).update(`gage/address/v1\0${address}`).digest('hex').slice(0, 16),
  };
}

/** The address of an entry: some proxies write `192.0.2.1:5555` and `[2001:db8::1]:443`. */
function withoutPort(entry: string): string {
  const [, bracketed, bare] = /^\[([^\]]{1,60})\](?::\d{1,5})?$|^([\d.]{7,15}):\d{1,5}$/.exec(entry) ?? [];
  return bracketed ?? bare ?? entry;
}

/** An IPv4 address that came over an IPv6 socket, in any of its spellings, is itself again. */
function plain(address: string): string {
  if (!isIPv6(address)) return address;
  const words = wordsOf(address);
  if (words.slice(0, 5).some((word) => word !== 0) || words[5] !== 0xffff) return address;
  return words.slice(6).flatMap((word) => [word >> 8, word & 0xff]).join('.');
}

/** A household has a whole /64, so that one of its addresses says nothing. */
function group(address: string): string {
  return isIPv6(address) ? `${wordsOf(address).slice(0, 4).map((word) => word.toString(16)).join(':')}::/64` : address;
}

/** The eight numbers of an IPv6 address, without its zone. */
function wordsOf(address: string): readonly number[] {
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').split('::').map((part) => part.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, inHex));
  const numbers = (part: string): number[] => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)));
  const [left, right] = [numbers(head), numbers(tail)];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

/** An IPv4 address at the end of an IPv6 one, as the two words that it stands for. */
function inHex(_whole: string, ...parts: readonly string[]): string {
  const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
