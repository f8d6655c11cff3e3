import { encodeError } from '../jsonrpc/encode.ts';
import { ErrorCode } from '../jsonrpc/errors.ts';
import { elementTexts } from '../jsonrpc/number-text.ts';
import { Answer, type Reply } from './answer.ts';

/** How many members a JSON-RPC batch may have. */
export const maxBatchMembers = 1_000;

/**
 * Answers a batch (served in revision 2025-03-26 alone): each member gets what its own line would, all in one array in
 * the order of the members. A member without a reply is left out; without any reply there is no line. `line` is the text
 * that the members were parsed from; each is handed on with its own part of it.
 */
export function answerBatch(members: readonly unknown[], line: string, answerMember: (member: unknown, text: string) => Reply): Reply {
  if (members.length > maxBatchMembers) {
    return encodeError(null, ErrorCode.invalidRequest, `Invalid request: a batch has at most ${maxBatchMembers} members`);
  }
  const texts = elementTexts(line);
  const replies = members.map((member, index) => answerMember(member, texts[index] as string));
  const lines: (string | undefined)[] = replies.map((reply) => (typeof reply === 'string' ? reply : undefined));
  const later = replies.filter((reply) => reply instanceof Answer).length;
  if (later === 0) return joined(lines);
  const answer = new Answer();
  let open = later;
  replies.forEach((reply, index) => {
    if (!(reply instanceof Answer)) return;
    reply.whenSettled((line) => {
      lines[index] = line;
      open--;
      if (open === 0) answer.settle(joined(lines));
    });
  });
  return answer;
}

function joined(lines: readonly (string | undefined)[]): string | undefined {
  const present = lines.filter((line) => line !== undefined);
  return present.length === 0 ? undefined : `[${present.join(',')}]`;
}
