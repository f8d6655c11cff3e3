/** Query languages other than SQL: MongoDB and DynamoDB (L3-018), LDAP (L3-019), XPath (L3-020). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { entryOf, hasFlag, partsOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf } from './event-names.ts';
import { flowLevel, reportFlow } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { nameText } from './value-facts.ts';

const documentQuery = defineRule({
  id: 'CODE-W1-L3-018',
  cwe: 'CWE-943',
  severity: 'high',
  confidence: 'medium',
  title: 'Untrusted data is used as a document database query',
  message: '{what} becomes the query of {sink}.',
  remediation: 'Name each field and convert its value: {"name": str(value)}; do not use $where.',
  owasp: ['A03:2021'],
  why: 'A JSON object from outside can hold operators such as $ne or $where, which match every record or run JavaScript. '
    + 'A field converted to text cannot.',
  bad: 'import pymongo\nfrom flask import request\n\ndef user():\n    users = pymongo.MongoClient().app.users\n'
    + '    return users.find_one(request.json)\n',
  good: 'import pymongo\nfrom flask import request\n\ndef user():\n    users = pymongo.MongoClient().app.users\n'
    + '    return users.find_one({"name": str(request.json["name"])})\n',
});

const ldapFilter = defineRule({
  id: 'CODE-W1-L3-019',
  cwe: 'CWE-90',
  severity: 'high',
  confidence: 'medium',
  title: 'LDAP filter built from an untrusted value',
  message: '{what} becomes part of the LDAP search of {sink}.',
  remediation: 'Pass the value through ldap.filter.escape_filter_chars (or ldap3.utils.conv.escape_filter_chars).',
  owasp: ['A03:2021'],
  why: 'Parentheses and asterisks in a value change the filter, so a login can match any account. '
    + 'Escaping turns them into plain characters.',
  bad: 'import ldap\nfrom flask import request\n\ndef find(connection):\n    connection = ldap.initialize("ldap://localhost")\n'
    + '    return connection.search_s("dc=x", 2, "(uid=%s)" % request.args["uid"])\n',
  good: 'import ldap\nfrom ldap.filter import escape_filter_chars\nfrom flask import request\n\ndef find(connection):\n'
    + '    connection = ldap.initialize("ldap://localhost")\n'
    + '    return connection.search_s("dc=x", 2, "(uid=%s)" % escape_filter_chars(request.args["uid"]))\n',
});

const xpathText = defineRule({
  id: 'CODE-W1-L3-020',
  cwe: 'CWE-643',
  severity: 'medium',
  confidence: 'medium',
  title: 'XPath built from an untrusted value',
  message: '{what} becomes part of the XPath of {sink}.',
  remediation: 'Use an XPath variable: tree.xpath("//a[@id=$id]", id=value).',
  owasp: ['A03:2021'],
  why: 'A quote in the value ends the string in the expression and lets the rest select other nodes. '
    + 'Variables are passed beside the expression.',
  bad: 'from lxml import etree\nfrom flask import request\n\ndef item():\n    tree = etree.parse("shop.xml")\n'
    + '    return tree.xpath("//item[@id=\'" + request.args["id"] + "\']")[0].tag\n',
  good: 'from lxml import etree\nfrom flask import request\n\ndef item():\n    tree = etree.parse("shop.xml")\n'
    + '    return tree.xpath("//item[@id=$id]", id=request.args["id"])[0].tag\n',
});

const mongoMethods = [
  'find', 'find_one', 'find_one_and_update', 'find_one_and_delete', 'find_one_and_replace', 'aggregate', 'update_one', 'update_many',
  'delete_one',
  'delete_many', 'count_documents', 'update', 'remove', 'replace_one', 'distinct', 'count', 'objects',
];
const collectionWord = /(?:^|[._])(?:db|mongo|collection|coll|client)(?:\.|\[|_|$)/i;
/** A collection by type, or by a name that speaks of one in a module that imports a driver. */
const isCollection = (event: CallEvent): boolean =>
  /^(?:pymongo|motor|flask_pymongo|mongoengine|bson)\b/.test(calleeOf(event))
  || (event.receiverUnknown && (['pymongo', 'motor', 'flask_pymongo'].some((root) => event.module.imports.has(root))
  || collectionWord.test(event.written)));

/** L3-018 for MongoDB. */
const mongoMatcher: Matcher = {
  calls: mongoMethods,
  onCall(event) {
    const query = event.arg(0, 'filter');
    if (query === undefined || !isCollection(event)) return;
    const where = entryOf(query, '$where');
    if (where !== undefined) reportFlow(event, documentQuery, where, { kind: 'all', unknown: 'built' });
    // A whole object out of the request may hold operators; named fields are the good form.
    else if (query.shape === undefined) reportFlow(event, documentQuery, query, { kind: 'all' });
  },
};

const dynamoKeywords = ['FilterExpression', 'KeyConditionExpression', 'ScanFilter', 'QueryFilter', 'KeyConditions', 'Statement'];

/** L3-018 for DynamoDB, whose expressions are text. */
const dynamoMatcher: Matcher = {
  calls: ['scan', 'query', 'execute_statement'],
  onCall(event) {
    if (!/^boto3\./.test(calleeOf(event)) && !(event.receiverUnknown && event.module.imports.has('boto3'))) return;
    for (const keyword of dynamoKeywords) {
      const value = event.keywords.get(keyword);
      if (value === undefined || value.shape?.type === 'Mapping') continue;
      reportFlow(event, documentQuery, value, { kind: 'sql', unknown: 'built' });
    }
  },
};

const ldapMethods = ['search_s', 'search_ext_s', 'search_ext', 'search_st', 'search'];
const escaped = /(?:escape_filter_chars|escape_dn_chars|filter_format|escape_rdn|escape_attribute_value)\(\)$/;

/** Whether a text's tainted parts all went through one of LDAP's own escaping functions. */
const isEscaped = (value: Value): boolean =>
  partsOf(value).every((part) => typeof part === 'string' || flowLevel(part, 'all') < 2 || escaped.test(nameText(part)));

/** L3-019, filter and base. */
const ldapMatcher: Matcher = {
  calls: ldapMethods,
  onCall(event) {
    const name = calleeOf(event);
    const known = name.startsWith('ldap.') || name.startsWith('ldap3.');
    if (!known && !(event.receiverUnknown && (event.module.imports.has('ldap') || event.module.imports.has('ldap3')))) return;
    const ldap3 = name.startsWith('ldap3.') || event.last === 'search' && event.module.imports.has('ldap3');
    const filter = ldap3 ? event.arg(1, 'search_filter') : event.arg(2, 'filterstr');
    const base = event.arg(0, ldap3 ? 'search_base' : 'base');
    for (const value of [filter, base]) {
      if (value === undefined || isEscaped(value)) continue;
      if (reportFlow(event, ldapFilter, value, { kind: 'all' })) return;
    }
  },
};

/** L3-020; find and its siblings only for XML, and only with text put together. */
const xpathMatcher: Matcher = {
  calls: ['xpath', 'XPath', 'ETXPath', 'find', 'findall', 'iterfind', 'findtext', 'select'],
  onCall(event) {
    const { last } = event;
    const name = calleeOf(event);
    const known = /^(?:lxml|xml|elementpath|parsel|scrapy|libxml2)\./.test(name);
    if (!known && !(last === 'xpath' && event.receiverUnknown)) return;
    const text = last === 'select' ? event.args[name.startsWith('elementpath') ? 1 : 0] : event.arg(0, 'path');
    if (text !== undefined && (hasFlag(text, 'built') || last === 'xpath' || last === 'XPath'))
      reportFlow(event, xpathText, text, { kind: 'all' });
  },
};

/** L3-018, L3-019, L3-020. */
export const queryRules: RuleSet = {
  rules: [documentQuery, ldapFilter, xpathText],
  matchers: [mongoMatcher, dynamoMatcher, ldapMatcher, xpathMatcher],
};
