import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';
import { functionAround, nodesIn } from '../code/scopes.ts';

const typeName = /^(?:mimetype|content_type|media_type|default_mimetype|default_content_type)$/i;
const otherType = /^(?:text|application|image|audio|video)\/(?!html\b|xhtml)[\w.+-]+/i;
const clients = /^(?:requests|httpx|aiohttp|urllib|urllib3|openai|anthropic)\b/;

/**
 * Whether the function around a node, or what a program does with all of its responses, may send another type than HTML: then the
 * escapes would be shown as they are. Types that are not written there count as others; those of requests to other servers do not count.
 */
export function mayBeOtherType(code: PythonCode, node: PyNode): boolean {
  const scopes = code.nodes().filter((each) => each.type === 'FunctionDef' && each.decorators.some((decorator) => /after_request|response_filter/.test(code.source(decorator))));
  return [functionAround(code, node), ...scopes].flatMap((scope) => nodesIn(code, scope)).some((each) => isOther(each) && !isOfClient(code, each))
    || code.nodes().some((each) => each.type === 'Assign' && each.targets.some((target) => target.type === 'Name' && /^default_(?:mimetype|content_type)$/i.test(target.id)) && !isHtml(each.value));
}

function isOther(node: PyNode): boolean {
  switch (node.type) {
    case 'Constant': return node.kind === 'str' && otherType.test(node.value);
    case 'Assign': return node.targets.some((target) => (target.type === 'Attribute' && typeName.test(target.attr)) || (target.type === 'Subscript' && isHeader(target.index))) && !isHtml(node.value);
    case 'Dict': return node.entries.some(({ key, value }) => key !== undefined && isHeader(key) && !isHtml(value));
    case 'Call': return node.args.some((each, index) => (each.kind === 'keyword' ? typeName.test(each.name) && !isHtml(each.value)
      : isHeader(each.value) && node.args[index + 1] !== undefined && !isHtml(node.args[index + 1]!.value)));
    default: return false;
  }
}

/** The header of the type, and the one of a download, which is a file of whatever type. */
const isHeader = (value: PyExpr): boolean => value.type === 'Constant' && value.kind === 'str' && /^content-(?:type|disposition)$/i.test(value.value);
const isHtml = (value: PyExpr): boolean => value.type === 'Constant' && ((value.kind === 'str' && /\/x?html|^inline/i.test(value.value)) || value.kind === 'none');

function isOfClient(code: PythonCode, node: PyNode): boolean {
  for (let at: PyNode | undefined = node; at !== undefined && at.type !== 'FunctionDef'; at = code.parentOf(at)) {
    if (at.type === 'Call' && clients.test(code.originOf(at.func) ?? '')) return true;
  }
  return false;
}
