import { createHmac } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Who is asking: the address that limits count for. */
export type Addresses = {
  /** Whether a peer is one of the proxies that may speak for others. */
  isProxy(peer: string | undefined): boolean;
  /** IPv4 address, or the /64 of an IPv6 one, as text: of the peer, or of whom its proxy says last in X-Forwarded-For. */
  of(peer: string | undefined, forwardedFor: string | undefined): string;
  /** A tag of an address that says nothing without the relay's secret: 16 hex digits. */
  tagOf(address: string): string;
};

/** Reads CIDR ranges of trusted proxies (`10.0.0.0/8`, `fd00::/8`, or one address); throws a RangeError naming a bad one. */
export function createAddresses(trustProxy: readonly string[], secret: Uint8Array): Addresses {
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
  return {
    isProxy,
    of(peer, forwardedFor) {
      const own = plain(peer ?? '');
      if (!isProxy(own)) return group(own);
      // The last entry is the one that our own proxy wrote; those before it are the sender's to make up.
      const last = plain((forwardedFor ?? '').slice((forwardedFor ?? '').lastIndexOf(',') + 1).trim());
      return group(isIP(last) === 0 ? own : last);
    },
    tagOf: (address) => createHmac('sha256', secret).update(`gage/address/v1\0${address}`).digest('hex').slice(0, 16),
  };
}

/** An IPv4 address that came over an IPv6 socket is itself again. */
function plain(address: string): string {
  return /^::ffff:(?=[\d.]{7,15}$)/i.test(address) ? address.slice(7) : address;
}

/** A household has a whole /64, so that one of its addresses says nothing. */
function group(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  // Only the first four words count, and an IPv4 address at the end stands for two.
  const right = tail === undefined || tail === '' ? [] : tail.split(':').flatMap((word) => (word.includes('.') ? ['0', '0'] : [word]));
  const words = [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return `${words.slice(0, 4).map((word) => Number.parseInt(word, 16).toString(16)).join(':')}::/64`;
}
