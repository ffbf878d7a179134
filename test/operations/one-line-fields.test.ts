/** What acts on a terminal stands in no text that a request brings, whichever operation it is for. */
import { expect } from 'chai';
import { z } from 'zod';
import { routes } from '../../src/http/routes.ts';

/** Texts without a pattern, by the last name of their place: why nothing harmful comes of them. */
const HARMLESS: Readonly<Record<string, string>> = {
  q: 'looked for, kept nowhere',
  cursor: 'ours, or refused',
  after: 'ours, or refused',
  token: 'ours, or refused',
  exp: 'ours, or refused',
  sig: 'ours, or refused',
  range: 'understood, or ignored',
  ifRange: 'compared, kept nowhere',
  ifMatch: 'compared, kept nowhere',
  ifNoneMatch: 'compared, kept nowhere',
  signature: 'compared, kept nowhere',
  signatureId: 'compared, kept nowhere',
  signatureTimestamp: 'compared, kept nowhere',
  contentType: 'compared, kept nowhere',
  category: 'compared, kept nowhere',
  pricing: 'compared, kept nowhere',
  source: 'compared, kept nowhere',
  provider: 'compared, kept nowhere',
  modality: 'compared, kept nowhere',
  inputModality: 'compared, kept nowhere',
  outputModality: 'compared, kept nowhere',
  supports: 'compared, kept nowhere',
  propertyNames: 'JSON of its owner',
  period: 'a month or day, or refused',
  createdFrom: 'a time, or refused',
  createdBefore: 'a time, or refused',
  occurredAt: 'a time, or refused',
  issuedAt: 'a time, or refused',
  expiresAt: 'a time, or refused',
  asOf: 'a time, or refused',
  updatedSince: 'a time, or refused',
  from: 'a time, or refused',
  to: 'a time, or refused',
  name: 'of an artifact: test/http/artifacts.test.ts',
};
/** Described as its view is; what it is checked by are the patterns of its event. */
const CHECKED_ELSEWHERE = ['publishMethodology'];

interface Node {
  readonly type?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly enum?: unknown;
  readonly const?: unknown;
}

/** The places of texts that take an escape character; a URI is kept as its parser writes it. */
function* openTexts(node: Node, path: readonly string[] = []): Generator<string> {
  if (
    node.type === 'string' &&
    node.enum === undefined &&
    node.const === undefined &&
    node.format !== 'uri'
  ) {
    const { pattern } = node;
    if (pattern === undefined || new RegExp(pattern, 'u').test('a\u001bb')) yield path.at(-1) ?? '';
  }
  for (const [name, value] of Object.entries(node))
    if (typeof value === 'object' && value !== null) yield* openTexts(value, [...path, name]);
}

describe('The texts of requests', () => {
  for (const { method, path, operation } of routes) {
    it(`of ${method} ${path} hold no control characters`, () => {
      if (CHECKED_ELSEWHERE.includes(operation.name)) return;
      const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' });
      // JSON Schema, of which these fields are looked at.
      const open = [...openTexts(schema as Node)].filter((name) => !(name in HARMLESS));
      expect(open, 'use line(), note() or prose() of events/texts.ts').to.deep.equal([]);
    });
  }
});
