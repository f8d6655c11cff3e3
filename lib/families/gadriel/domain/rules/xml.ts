/** XML parsers that follow entities (L3-031). */
import type { Matcher } from '../analysis/model.types.ts';
import { hasFlag, nameOf, numberOf, truthOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, lastSegments } from './event-names.ts';
import { flowLevel, reportAudit, reportFlow, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { isBool } from './value-facts.ts';

const entities = defineRule({
  id: 'CODE-W1-L3-031',
  cwe: 'CWE-611',
  severity: 'high',
  confidence: 'medium',
  title: 'XML parser that expands entities',
  message: '{sink} expands entities that the document itself defines.',
  remediation: 'Use defusedxml, or lxml with resolve_entities=False and no_network=True.',
  owasp: ['A05:2021'],
  why: 'An entity can name a file or an address of the inner network, whose content then stands in the document; '
    + 'nested entities fill the memory. defusedxml refuses both.',
  bad: 'from lxml import etree\n\nparser = etree.XMLParser(resolve_entities=True, no_network=False)\n',
  good: 'from lxml import etree\n\nparser = etree.XMLParser(resolve_entities=False, no_network=True)\n',
});

const lxmlParsers = new Set(['lxml.etree.XMLParser', 'lxml.etree.iterparse', 'lxml.etree.XMLPullParser', 'lxml.etree.ETCompatXMLParser']);
/** Without a parser of their own they use the default one, which resolves entities before lxml 5. */
const lxmlReaders = new Set([
  'lxml.etree.parse', 'lxml.etree.fromstring', 'lxml.etree.XML', 'lxml.etree.iterparse', 'lxml.objectify.parse', 'lxml.objectify.fromstring',
  'lxml.etree.fromstringlist',
]);
/** Expat expands nested entities, but no external ones by default. */
const stdlibReaders = new Set([
  'xml.etree.ElementTree.fromstring', 'xml.etree.ElementTree.parse', 'xml.etree.ElementTree.iterparse', 'xml.etree.ElementTree.XML',
  'xml.dom.minidom.parseString',
  'xml.dom.minidom.parse', 'xml.sax.parseString', 'xml.sax.parse', 'xml.dom.pulldom.parseString', 'xml.dom.pulldom.parse',
  'xml.dom.expatbuilder.parseString',
  'xml.dom.expatbuilder.parse', 'xml.sax.make_parser().parse', 'xml.etree.ElementTree.fromstringlist',
  'xml.etree.ElementTree.XMLParser().feed', 'xmltodict.parse',
  'xml.parsers.expat.ParserCreate().Parse', 'xml.etree.ElementTree.ElementTree().parse', 'xml.sax.expatreader.create_parser().parse',
]);
/** Parsers made in one place and used in another. */
const stdlibParsers = new Set(['xml.sax.make_parser', 'xml.etree.ElementTree.XMLParser', 'xml.sax.expatreader.create_parser']);
const externalFeature = /(?:feature_external_(?:ges|pes)|external-(?:general|parameter)-entities)$/;

/** L3-031: parsers made with the door open, and documents of others read by default ones. */
const xmlMatcher: Matcher = {
  calls: [...lastSegments([...lxmlParsers, ...lxmlReaders, ...stdlibReaders, ...stdlibParsers]), 'setFeature'],
  onCall(event) {
    const name = calleeOf(event);
    if (event.last === 'setFeature') {
      const feature = event.args[0];
      const text = nameOf(feature) ?? String(feature?.shape?.type === 'Constant' ? feature.shape.value : '');
      if (externalFeature.test(text) && truthOf(event.args[1]) === true && (numberOf(event.args[1]) ?? 1) !== 0)
        reportRule(event, entities);
      return;
    }
    if (stdlibParsers.has(name)) reportAudit(event, entities, { cwe: 'CWE-776' });
    if (lxmlParsers.has(name)) {
      const opened = isBool(event.arg(-1, 'no_network'), false) || isBool(event.arg(-1, 'load_dtd'), true)
        || isBool(event.arg(-1, 'resolve_entities'), true);
      if (opened) reportRule(event, entities);
      else if (name.endsWith('XMLParser') && event.arg(-1, 'resolve_entities') === undefined && !event.openKeywords)
        reportAudit(event, entities);
    }
    const text = event.arg(0, event.argNode(-1, 'source') ? 'source' : 'text');
    // A file that the program's own user names is no attack; request bodies, uploads and fetched documents are.
    if (lxmlReaders.has(name)) {
      const parser = event.arg(1, 'parser');
      if (parser === undefined) reportFlow(event, entities, text, { kind: 'all' });
    } else if (stdlibReaders.has(name)) {
      const fetched = flowLevel(text, 'all') === 1 && hasFlag(text, 'network');
      if (!fetched) reportFlow(event, entities, text, { kind: 'all', cwe: 'CWE-776', severity: 'medium' });
      else reportAudit(event, entities, { cwe: 'CWE-776' });
    }
  },
};

/** L3-031. */
export const xmlRules: RuleSet = { rules: [entities], matchers: [xmlMatcher] };
