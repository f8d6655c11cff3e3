import type { Family } from '../family.types.ts';
import { metaPrefix } from './modern-claim.ts';
import { legacyRevisions, modernRevision, newestLegacy, oldestLegacy, type Revision } from './revisions.ts';

/** Who the server says it is. */
export type ServerInfo = { readonly name: string; readonly version: string; readonly title?: string };

/** The fixed parts of results, made once a server. Texts are JSON. */
export type Results = {
  /** Members that every modern result ends with, comma first; nothing in the legacy era. */
  tailOf(revision: Revision): string;
  initialize(revision: Revision): string;
  readonly discover: string;
  /** Members of a modern tools/list result, comma first. */
  readonly listTail: string;
  /** Whether the tools may change while the server runs. */
  readonly listChanges: boolean;
};

/** How long a client may keep a list that can't change, in milliseconds. */
const listTtlMs = 300_000;

/** Makes the results that depend on nothing but the server and its families. */
export function makeResults(info: ServerInfo, families: readonly Family[]): Results {
  const listChanges = families.some((family) => family.listCanChange === true);
  const instructions = families.map((family) => family.instructions ?? '').filter((text) => text !== '').join('\n\n');
  const capabilities = `{"tools":${listChanges ? '{"listChanged":true}' : '{}'}}`;
  const instructionsJson = instructions === '' ? '' : `,"instructions":${JSON.stringify(instructions)}`;
  const nameJson = `"name":${JSON.stringify(info.name)}`;
  const versionJson = `"version":${JSON.stringify(info.version)}`;
  const fullInfo = info.title === undefined ? `{${nameJson},${versionJson}}` : `{${nameJson},"title":${JSON.stringify(info.title)},${versionJson}}`;
  const scope = families.some((family) => family.listScope === 'private') ? 'private' : 'public';
  const listTail = `,"ttlMs":${listChanges ? 0 : listTtlMs},"cacheScope":"${scope}"`;
  const modernTail = `,"resultType":"complete","_meta":{"${metaPrefix}serverInfo":${fullInfo}}`;
  return {
    listChanges,
    listTail,
    tailOf: (revision) => (revision.modern ? modernTail : ''),
    discover: `{"supportedVersions":["${modernRevision.version}"],"capabilities":${capabilities}${instructionsJson}${listTail}${modernTail}}`,
    initialize: (revision) => {
      const serverInfo = revision.structured ? fullInfo : `{${nameJson},${versionJson}}`;
      return `{"protocolVersion":"${revision.version}","capabilities":${capabilities},"serverInfo":${serverInfo}${instructionsJson}}`;
    },
  };
}

/** The revision that `initialize` opens for what the client asked for. */
export function negotiate(requested: unknown): Revision {
  if (typeof requested !== 'string') return oldestLegacy;
  return legacyRevisions.find((revision) => revision.version === requested) ?? newestLegacy;
}
