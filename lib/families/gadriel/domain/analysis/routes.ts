/** Which functions strangers call, and what their parameters then are (design of gadriel, sections 0 and 3.1). */
import type { PyExpr, PyFunctionDef } from '../../../../syntax/python.types.ts';
import type { DecoratorInfo, FunctionInfo, ParamInfo, RouteInfo, Value } from './model.types.ts';
import { importedBase } from './class-attributes.ts';
import { evaluate } from './expressions.ts';
import { makeValue, safeValue, TAINTED, UNKNOWN, unknownValue } from './make-value.ts';
import { checksFields, isScalarAnnotation } from './model-fields.ts';
import { nodeOf } from './names.ts';
import { secretName } from './secret-names.ts';
import { flagBit } from './value-bits.ts';
import { elementsOf, isNone, stringOf } from './values.ts';
import type { Walk } from './walk.ts';
import type { ClassState } from './walk.types.ts';

const verbs = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace']);
/** What they return is sent; what they are given is an exception. */
const errorDecorators = new Set(['errorhandler', 'app_errorhandler', 'exception_handler']);
const routeDecorators = new Set([...verbs, ...errorDecorators, 'route', 'api_route', 'websocket', 'websocket_route', 'view', 'view_config']);
const routerNames = /^(?:\w*app|\w*router|\w*(?:bp|blueprint)|\w*api|routes|server)$/i;
const frameworks: readonly (readonly [string, RouteInfo['framework']])[] = [
  ['flask', 'flask'], ['quart', 'flask'], ['sanic', 'flask'], ['fastapi', 'fastapi'], ['starlette', 'starlette'], ['bottle', 'bottle'],
    ['aiohttp', 'aiohttp'], ['pyramid', 'pyramid'],
];
/** Classes whose get/post/… methods answer requests. */
const viewBases: readonly (readonly [string, RouteInfo['framework']])[] = [
  ['flask.views.', 'flask'], ['flask_restful.Resource', 'flask'], ['flask_restx.Resource', 'flask'], ['flask_restx.', 'flask'],
    ['tornado.web.', 'tornado'],
  ['django.views.', 'django'], ['rest_framework.', 'django'], ['starlette.endpoints.', 'starlette'], ['fastapi_utils.', 'fastapi'],
    ['aiohttp.web.View', 'aiohttp'],
];

/** Frameworks by the module of their request class. */
const requestRoots: readonly (readonly [string, RouteInfo['framework']])[] = [
  ['django.', 'django'], ['rest_framework.', 'django'], ['aiohttp.', 'aiohttp'], ['pyramid.', 'pyramid'], ['starlette.', 'starlette'],
];

/** Why a function is an entry point; undefined = it is not. */
export const routeOf = (walk: Walk, node: PyFunctionDef, decorators: readonly DecoratorInfo[],
  owner: ClassState | undefined): RouteInfo | undefined => {
  for (const decorator of decorators) {
    const route = routeDecorator(walk, decorator);
    if (route !== undefined) return route;
  }
  const imports = walk.info.imports;
  if (owner !== undefined && (verbs.has(node.name) || node.name === 'prepare' || node.name === 'dispatch' || node.name === 'on_message'
    || node.name === 'open')) {
    const base = importedBase(owner)?.path;
    const view = base === undefined ? undefined : viewBases.find(([prefix]) => base.startsWith(prefix));
    if (view !== undefined) return { framework: view[1], methods: verbs.has(node.name) ? [node.name.toUpperCase()] : [] };
  }
  const first = node.params[owner === undefined ? 0 : 1];
  // A request type that is known by name decides; else the name `request` and what the module imports.
  const type = first?.annotation === undefined || !mentionsRequest(first.annotation) ? undefined : annotationName(walk, first.annotation);
  const typed = requestRoots.find(([root]) => type?.startsWith(root) === true);
  if (typed !== undefined) return { framework: typed[1], methods: [] };
  if (first?.name === 'request' && (first.annotation === undefined || mentionsRequest(first.annotation))) {
    if (imports.has('django') || imports.has('rest_framework')) return { framework: 'django', methods: [] };
    if (imports.has('aiohttp')) return { framework: 'aiohttp', methods: [] };
    if (imports.has('pyramid')) return { framework: 'pyramid', methods: [] };
    if (imports.has('starlette')) return { framework: 'starlette', methods: [] };
  }
  if (first?.annotation !== undefined && mentionsRequest(first.annotation) && imports.has('django')) return { framework: 'django', methods: [] };
  if (owner === undefined && node.params.length === 2) {
    const pair = `${node.params[0]?.name},${node.params[1]?.name}`;
    // WSGI applications are called like functions of AWS Lambda: what comes in is the first parameter.
    if (/^(?:event,_*(?:context|ctx)?|environ,start_response)$/.test(pair)) return { framework: 'lambda', methods: [] };
  }
  return undefined;
};

/** The annotation is `Request`, `HttpRequest`, `web.Request` … as written. */
const mentionsRequest = (annotation: PyExpr): boolean => {
  if (annotation.type === 'Name') return annotation.id.endsWith('Request');
  if (annotation.type === 'Attribute') return annotation.attr.endsWith('Request');
  return annotation.type === 'Constant' && annotation.kind === 'str' && annotation.value.endsWith('Request');
};

const routeDecorator = (walk: Walk, decorator: DecoratorInfo): RouteInfo | undefined => {
  const { last, name } = decorator;
  if (name !== undefined && (name.startsWith('click.') || name.startsWith('typer.'))
    && (last === 'command' || last === 'option' || last === 'argument')) return { framework: 'cli', methods: [] };
  if (!routeDecorators.has(last)) return undefined;
  const found = frameworks.find(([root]) => name?.startsWith(`${root}.`) === true)?.[1]
    ?? (name?.startsWith('aiohttp.web.RouteTableDef') === true ? 'aiohttp' : undefined);
  const framework = found ?? guessedFramework(walk, decorator);
  if (framework === undefined) return undefined;
  const given = elementsOf(decorator.keywords.get('methods')) ?? [];
  const listed = given.map((value) => stringOf(value)?.toUpperCase() ?? '').filter((method) => method !== '');
  return { framework, methods: verbs.has(last) ? [last.toUpperCase()] : listed };
};

/** `@app.route('/x')` where `app` comes from another module: by the names and a path as first argument. */
const guessedFramework = (walk: Walk, decorator: DecoratorInfo): RouteInfo['framework'] | undefined => {
  const path = stringOf(decorator.args[0]);
  if (path === undefined || path !== '' && !path.startsWith('/')) return undefined;
  const text = walk.info.module.text.slice(decorator.start, decorator.end);
  const receiver = /^@?\s*(\w+)\s*\./.exec(text)?.[1] ?? '';
  if (!routerNames.test(receiver)) return undefined;
  return frameworks.find(([root]) => walk.info.imports.has(root))?.[1];
};

/** Types whose values cannot carry an injection. */
export const scalarTypes: ReadonlySet<string> = new Set(['int', 'float', 'bool', 'complex', 'uuid.UUID', 'datetime.datetime', 'datetime.date', 'datetime.time',
  'datetime.timedelta', 'decimal.Decimal', 'enum.Enum',
  'typing.Literal', 'pydantic.PositiveInt', 'pydantic.UUID4', 'ipaddress.IPv4Address', 'pydantic.conint', 'pydantic.NonNegativeInt']);
const plainTypes = new Set(['str', 'bytes', 'list', 'dict', 'tuple', 'set', 'object', 'bytearray', 'frozenset', 'type']);

/** Qualified name of an annotation, Optional and `| None` taken off; undefined when it is none of a name. */
export const annotationName = (walk: Walk, annotation: PyExpr | undefined, depth = 0): string | undefined => {
  if (annotation === undefined || depth > 4) return undefined;
  switch (annotation.type) {
    case 'Name': case 'Attribute': {
      const value = walk.quietly(() => evaluate(walk, annotation));
      if (value.shape?.type === 'Class') return localName(value);
      return value.name?.path;
    }
    case 'Constant': {
      // `'Reader'`, `'Reader | None'`, `'Optional[Reader]'`: written as a text where the class comes later.
      const written = annotation.kind !== 'str' || annotation.value.length > 120 ? undefined
        : /^(?:(?:typing\.)?Optional\[([\w.]+)\]|([\w.]+)(?: ?\| ?None)?)$/.exec(annotation.value);
      if (written === undefined || written === null) return undefined;
      const [root = '', ...rest] = (written[1] ?? written[2] ?? '').split('.');
      const value = walk.lookup(root);
      if (value?.shape?.type === 'Class') return localName(value);
      return value?.name === undefined ? undefined : [value.name.path, ...rest].join('.');
    }
    case 'BinOp': {
      const none = (node: PyExpr): boolean => node.type === 'Constant' && node.kind === 'none';
      return annotation.op !== '|' ? undefined : annotationName(walk, none(annotation.left) ? annotation.right : annotation.left, depth + 1);
    }
    case 'Subscript': {
      const outer = annotationName(walk, annotation.value, depth + 1);
      if (outer === 'typing.Optional' || outer === 'typing.Annotated' || outer === 'typing.Union' || outer === 'typing.Final') {
        const inner = annotation.index.type === 'Tuple' ? annotation.index.elements[0] : annotation.index;
        return annotationName(walk, inner, depth + 1);
      }
      return outer;
    }
    default: return undefined;
  }
};

/** A class of this module stands for what it inherits from, an Enum above all. */
const localName = (value: Value): string => {
  const info = value.shape?.type === 'Class' ? value.shape.info : undefined;
  if (info === undefined) return '';
  return info.bases.some((base) => base.startsWith('enum.')) ? 'enum.Enum' : `.${info.name}`;
};

/** What a parameter is when the function is walked on its own. */
export const parameterValue = (walk: Walk, info: FunctionInfo, param: ParamInfo, at: number): Value => {
  const { annotation, node } = param;
  if (annotation !== undefined && scalarTypes.has(annotation)) return safeValue;
  const typed = annotation === undefined || plainTypes.has(annotation) || annotation.startsWith('typing.') ? undefined
    : walk.names.resolve(`${annotation}()`);
  const flags = flagBit.param | (secretName(param.name) ? flagBit.secret : 0);
  if (node.kind === 'star' || node.kind === 'doublestar') return makeValue(UNKNOWN, flags, 0, undefined, undefined, undefined);
  if (typed?.source !== undefined) return makeValue(typed.source.level, typed.sourceFlags, 0, typed, undefined,
    walk.step(node.start, `${param.name}: ${typed.source.note}`, undefined));
  const route = info.route;
  if (param.name === 'req' && info.name.startsWith('on_')
    && walk.info.imports.has('falcon')) return walk.names.resolve('falcon.Request()')?.value ?? unknownValue;
  if (param.name === 'request' && at === 0 && route?.framework === 'flask'
    && walk.info.imports.has('sanic')) return walk.names.resolve('sanic.request.Request()')?.value ?? unknownValue;
  if (route !== undefined) {
    const request = requestValue(walk, route, param, at - (info.class === undefined ? 0 : 1));
    if (request !== undefined) return request;
    if (isConverted(info, route, param)) return safeValue;
    if (isRouteParameter(info, route, param)) {
      if (isScalarAnnotation(walk, node.annotation)) return safeValue;
      const model = annotation?.startsWith('.') === true ? walk.lookup(annotation.slice(1)) : undefined;
      const instance = model?.shape?.type === 'Class' && checksFields(model.shape.info) ? walk.classes.get(model.shape.info)?.instance : undefined;
      return makeValue(TAINTED, flagBit.request | (flags & flagBit.secret), 0, instance?.name ?? typed, instance?.shape,
        walk.step(node.start, `${param.name} is a parameter of a route`, undefined));
    }
    if (route.framework === 'cli') return makeValue(UNKNOWN, flagBit.low | flags, 0, typed, undefined, undefined);
  }
  const local = annotation?.startsWith('.') === true ? walk.lookup(annotation.slice(1)) : undefined;
  if (local?.shape?.type === 'Class') return walk.classes.get(local.shape.info)?.instance ?? unknownValue;
  return makeValue(UNKNOWN, flags, 0, typed, undefined, undefined);
};

const requestTypes: Readonly<Partial<Record<RouteInfo['framework'], string>>> = {
  django: 'django.http.HttpRequest()', aiohttp: 'aiohttp.web.Request()', pyramid: 'pyramid.request.Request()',
    starlette: 'starlette.requests.Request()', fastapi: 'starlette.requests.Request()',
};

/** The request object itself. */
const requestValue = (walk: Walk, route: RouteInfo, param: ParamInfo, at: number): Value | undefined => {
  if (route.framework === 'lambda' && at === 0) {
    const trace = walk.step(param.node.start, 'the event that calls the function', undefined);
    return makeValue(TAINTED, flagBit.request, 0, undefined, undefined, trace);
  }
  const type = requestTypes[route.framework];
  if (type === undefined || at !== 0 || param.name !== 'request' && param.annotation?.endsWith('Request') !== true) return undefined;
  return walk.names.resolve(type)?.value;
};

const isRouteParameter = (info: FunctionInfo, route: RouteInfo, param: ParamInfo): boolean => {
  if (route.framework === 'cli' || route.framework === 'lambda' || route.framework === 'django' || route.framework === 'aiohttp'
    || route.framework === 'pyramid') return false;
  // What a dependency or service gives is not what the client sent.
  if (param.default?.name !== undefined
    && /(?:^|\.)(?:Depends|Security|BackgroundTasks|Provide)(?:\(\))?$/.test(param.default.name.path)) return false;
  if (param.annotation !== undefined
    && /(?:BackgroundTasks|Response|Session|AsyncSession|WebSocket|Request)$/.test(param.annotation)) return false;
  if (info.class !== undefined && param === info.params[0]) return false;
  if (info.decorators.some((decorator) => errorDecorators.has(decorator.last))) return false;
  if (route.framework !== 'flask' && route.framework !== 'bottle') return true;
  const path = routePath(info);
  return path === undefined ? !isConstantDefault(param) : converterOf(path, param.name) !== undefined;
};

const routePath = (info: FunctionInfo): string | undefined =>
  info.decorators.map((decorator) => stringOf(decorator.args[0])
    ?? stringOf(decorator.keywords.get('rule'))).find((each) => each?.startsWith('/') === true);

const safeConverters = new Set(['int', 'float', 'uuid', 'any', 'bool']);

/** `<int:id>` in the path of a Flask or Bottle route: the framework lets nothing else through. */
const isConverted = (info: FunctionInfo, route: RouteInfo, param: ParamInfo): boolean => {
  const path = route.framework === 'flask' || route.framework === 'bottle' ? routePath(info) : undefined;
  return path !== undefined && safeConverters.has(converterOf(path, param.name) ?? '');
};

/** A parameter with a constant default is filled by the code, not by the route. */
const isConstantDefault = (param: ParamInfo): boolean => param.default !== undefined && !isNone(param.default);

/** Converter of a route's variable: `int` of `/x/<int:id>` and `/x/<id:int>` (bottle), `` of `/x/<id>`; undefined = not in it. */
const converterOf = (path: string, name: string): string | undefined => {
  for (const match of path.matchAll(/<([^<>]{1,100})>/g)) {
    const [left = '', right] = (match[1] ?? '').split(':');
    if (right === undefined ? left === name : right === name) return right === undefined ? '' : left.replace(/\(.*$/, '');
    if (left === name) return right ?? '';
  }
  return undefined;
};

/** The type of an annotated variable as a value: `x: requests.Session`. */
export const typedValue = (walk: Walk, annotation: PyExpr): Value | undefined => {
  const name = annotationName(walk, annotation);
  if (name === undefined || plainTypes.has(name) || scalarTypes.has(name) || name.startsWith('typing.')) return undefined;
  if (name.startsWith('.')) {
    const local = walk.lookup(name.slice(1));
    return local?.shape?.type === 'Class' ? walk.classes.get(local.shape.info)?.instance : undefined;
  }
  const node = walk.names.resolve(`${name}()`);
  return nodeOf(node)?.value;
};
