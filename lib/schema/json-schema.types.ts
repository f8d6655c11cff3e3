/** Any value JSON can hold, readable only. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The seven type names of JSON Schema. */
export type JsonTypeName = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object';

/**
 * The subset of JSON Schema 2020-12 that `compileSchema` serves: every keyword here is enforced or is an
 * annotation; whatever is not here is refused at registration, except keys that start with `x-`.
 */
export type JsonSchema = boolean | JsonSchemaObject;

/** A schema that is no boolean: the shape every tool schema has. */
export type JsonSchemaObject = {
  readonly type?: JsonTypeName | readonly JsonTypeName[];
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly default?: JsonValue;

  readonly properties?: SchemaMap;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly patternProperties?: SchemaMap;
  readonly propertyNames?: JsonSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: { readonly [name: string]: readonly string[] };
  readonly dependentSchemas?: SchemaMap;

  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly contains?: JsonSchema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;

  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;

  readonly $ref?: string;
  readonly $defs?: SchemaMap;
  readonly definitions?: SchemaMap;

  readonly $schema?: string;
  readonly $id?: string;
  readonly id?: string;
  readonly $comment?: string;
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly JsonValue[];
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly contentMediaType?: string;
  readonly [extension: `x-${string}`]: unknown;
};

type SchemaMap = { readonly [name: string]: JsonSchema };

/**
 * The TypeScript type of the values that a schema literal accepts, after validation: a property with a `default`
 * is present. What a type cannot say (ranges, patterns, `not`, `if`) is left out; what it cannot follow
 * (a `$ref` to elsewhere than `#`, `#/$defs/NAME`, `#/definitions/NAME`) is `unknown`.
 */
export type FromSchema<S> = Infer<S, S>;

// `unknown & T` is T, so each part contributes only where its keyword is there.
type Infer<S, Root> = S extends boolean
  ? S extends true ? unknown : never
  : Referred<S, Root> & Typed<S, Root> & Alternatives<S, Root> & All<S, Root>;

type Referred<S, Root> = S extends { readonly $ref: infer Ref } ? Resolve<Ref, Root> : unknown;

type Resolve<Ref, Root> = Ref extends '#' ? Infer<Root, Root>
  : Ref extends `#/$defs/${infer Name}` ? Named<Root, '$defs', Name>
  : Ref extends `#/definitions/${infer Name}` ? Named<Root, 'definitions', Name>
  : unknown;

type Named<Root, Place extends string, Name extends string> =
  Root extends { readonly [P in Place]: { readonly [N in Name]: infer Target } } ? Infer<Target, Root> : unknown;

type Typed<S, Root> = S extends { readonly const: infer Value } ? Value
  : S extends { readonly enum: readonly (infer Value)[] } ? Value
  : S extends { readonly type: readonly (infer Name)[] } ? OfType<Name, S, Root>
  : S extends { readonly type: infer Name } ? OfType<Name, S, Root>
  : unknown;

// Distributes over a union of names, which is what a type array becomes.
type OfType<Name, S, Root> = Name extends 'string' ? string
  : Name extends 'number' | 'integer' ? number
  : Name extends 'boolean' ? boolean
  : Name extends 'null' ? null
  : Name extends 'array' ? ArrayOf<S, Root>
  : Name extends 'object' ? ObjectOf<S, Root>
  : unknown;

type Alternatives<S, Root> =
  (S extends { readonly anyOf: readonly (infer Each)[] } ? Spread<Each, Root> : unknown)
  & (S extends { readonly oneOf: readonly (infer Each)[] } ? Spread<Each, Root> : unknown);

type Spread<Each, Root> = Each extends unknown ? Infer<Each, Root> : never;

type All<S, Root> = S extends { readonly allOf: infer List } ? Joined<List, Root> : unknown;

type Joined<List, Root> = List extends readonly [infer First, ...infer Rest]
  ? Infer<First, Root> & Joined<Rest, Root>
  : unknown;

type ArrayOf<S, Root> = S extends { readonly prefixItems: infer Prefix extends readonly unknown[] }
  // prefixItems says nothing about presence: only a minItems of the same length makes the places certain.
  ? S extends { readonly minItems: Prefix['length'] }
    ? [...Places<Prefix, Root>, ...RestOf<S, Root>]
    : [...Partial<Places<Prefix, Root>>, ...RestOf<S, Root>]
  : RestOf<S, Root>;

type Places<Prefix extends readonly unknown[], Root> = { -readonly [I in keyof Prefix]: Infer<Prefix[I], Root> };

type RestOf<S, Root> = S extends { readonly items: infer Items }
  ? Items extends false ? [] : Infer<Items, Root>[]
  : unknown[];

type Flat<T> = { [K in keyof T]: T[K] };

type ObjectOf<S, Root> = Extended<Flat<NamedProperties<S, Root>>, S, Root>;

type NamedProperties<S, Root> = {
  [K in Present<S>]: PropertyOf<S, K, Root>;
} & {
  [K in Exclude<keyof PropertiesOf<S>, Present<S>>]?: PropertyOf<S, K, Root>;
};

type PropertiesOf<S> = S extends { readonly properties: infer P } ? P : {};

type PropertyOf<S, K, Root> = K extends keyof PropertiesOf<S> ? Infer<PropertiesOf<S>[K], Root> : unknown;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name extends string)[] } ? Name : never;

type Defaulted<P> = { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P];

type Present<S> = RequiredOf<S> | Defaulted<PropertiesOf<S>>;

// Absent additionalProperties admit anything in JSON, but typing them would hide misspelt names from the compiler.
type Extended<Known, S, Root> = S extends { readonly additionalProperties: infer More }
  ? More extends false ? Known
    : keyof Known extends never ? { [key: string]: Infer<More, Root> }
    : Known & { [key: string]: Infer<More, Root> | Known[keyof Known] }
  : keyof Known extends never ? { [key: string]: unknown }
  : Known;
