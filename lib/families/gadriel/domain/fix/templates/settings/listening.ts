/** The template for servers that listen on every interface (L3-039). */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import { keywordOf, positionalOf } from '../code/call-arguments.ts';
import type { PythonCode } from '../code/python-code.ts';
import { replaced } from '../code/switches.ts';
import { decline, type PythonTemplate } from '../template.types.ts';

const everywhere = ['', '0.0.0.0', '::', '0', '::0', '[::]', '*'];
/** Where the host stands in calls that take it beside the port, by the last name; others take both in one tuple first. */
const hostPlaces: Readonly<Record<string, number>> = { run: 0, make_server: 0, run_simple: 0, start_server: 1, listen: 1, serve: 1, create_server: 1 };
/** What receives from everywhere because it has to: datagrams for a group, for all, or for whoever asks. */
const datagrams = /\bSOCK_(?:DGRAM|RAW)\b|ADD_MEMBERSHIP|JOIN_GROUP|MULTICAST|BROADCAST|create_datagram_endpoint|UDPServer|DatagramRequestHandler/i;

/** The address of this computer alone in place of one that means every interface, where it is written as the host. */
export const anyHost: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const host = call === undefined ? undefined : hostOf(code, call);
  if (call === undefined || host?.type !== 'Constant' || host.kind !== 'str' || !everywhere.includes(host.value)) return decline('The address is not written in the call.');
  const name = lastName(call);
  if (/^(?:bind|\w*UDPServer)$/.test(name) && (datagrams.test(code.text) || !isStream(code, call))) {
    return decline('What is sent to a group or to everybody only arrives on an open address, and whether this socket is for that is not sure: a person has to choose the address.');
  }
  const is6 = host.value.includes(':');
  if (!is6 && /AF_INET6|dualstack/.test(code.text)) return decline('Whether the address is one of IPv4 or of IPv6 is not sure.');
  return replaced(host, is6 ? '"::1"' : '"127.0.0.1"',
    'Listens on this computer alone; put a proxy before it where others need to reach it. Review: others can no longer connect.');
};

function hostOf(code: PythonCode, call: PyCall): PyExpr | undefined {
  const given = ['host', 'server_name', 'server_address', 'address', 'listener'].map((name) => keywordOf(call, name)?.value).find((each) => each !== undefined);
  const first = given ?? positionalOf(call, 0)?.value;
  if (first?.type === 'Tuple') return first.elements[0];
  if (given !== undefined) return given;
  const place = /^flask_socketio\b/.test(code.originOf(call.func) ?? '') ? 1 : hostPlaces[lastName(call)];
  return place === undefined ? undefined : positionalOf(call, place)?.value;
}

const lastName = ({ func }: PyCall): string => (func.type === 'Attribute' ? func.attr : func.type === 'Name' ? func.id : '');

/** Whether all that the socket of a `bind` is assigned in the file is a plain socket of TCP. */
function isStream(code: PythonCode, { func }: PyCall): boolean {
  if (func.type !== 'Attribute') return false;
  const source = code.source(func.value);
  const values = func.value.type === 'Call' ? [func.value] : code.nodes().flatMap((node): readonly PyExpr[] => {
    if (node.type === 'Assign') return node.targets.some((target) => code.source(target) === source) ? [node.value] : [];
    return node.type === 'With' ? node.items.flatMap(({ context, target }) => (target !== undefined && code.source(target) === source ? [context] : [])) : [];
  });
  return values.length > 0 && values.every((value) => code.nameOf(value) === 'socket.socket()');
}
