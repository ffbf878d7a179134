/** Reads a publication from YAML or JSON text: nothing is taken from it unless all of it is well-formed. */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import { boundedParse, fieldErrorsOf } from '../calling/field-errors.ts';
import { type Publication, publicationSchema } from './publication.ts';
import { boundsFault } from './yaml-bounds.ts';

/** What is wrong in a file, and where. */
export interface FileFault {
  /** Such as `agents.3.pricing.amountCents`; empty for the file as a whole. */
  readonly path: string;
  /** The line that it is about, from 1, where the file has one. */
  readonly line: number | null;
  readonly message: string;
}

export type ReadPublication =
  | { readonly ok: true; readonly publication: Publication; readonly lines: Lines }
  | { readonly ok: false; readonly faults: readonly FileFault[] };

/** The line of each entry of a file, from 1, by its path: plain data, so that a worker can hand it over. */
export type Lines = ReadonlyMap<string, number>;

const MAX_FIELD_ERRORS = 100;
/** No map of a publication has more than a few dozen. */
const MAX_KEYS = 1_000;

/** JSON is read as YAML, which contains it, so that its faults have lines too. */
export function readPublication(text: string): ReadPublication {
  const fault = boundsFault(text);
  if (fault !== null) return failed([whole(fault)]);
  const lines = new LineCounter();
  const document = parsedYaml(text, lines);
  if (document === null) return failed([whole('the file is nested too deeply')]);
  const faults = [
    ...syntaxFaults(document, lines),
    ...aliasFaults(document, lines),
    ...keyFaults(document, lines),
    ...halfFaults(document, lines),
  ];
  if (faults.length > 0) return failed(faults);
  const byPath = linesOf(document, lines);
  const parsed = boundedParse(publicationSchema, document.toJS() ?? {});
  if (parsed.success) return { ok: true, publication: parsed.data, lines: byPath };
  const found = firstOf(fieldErrorsOf(parsed.error));
  return failed(found.map((fault) => ({ ...fault, line: lineOf(byPath, fault.path) })));
}

function parsedYaml(text: string, lineCounter: LineCounter): Document | null {
  try {
    return parseDocument(text, {
      lineCounter,
      // Each pretty error looks for its line in the whole text: a file of faults would take the square of its size.
      prettyErrors: false,
      uniqueKeys: false,
      strict: true,
      version: '1.2',
      merge: false,
    });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Warnings (an unknown tag, for instance) count as well: what is not understood must not be guessed. */
function syntaxFaults({ errors, warnings }: Document, lines: LineCounter): readonly FileFault[] {
  const first = [...firstOf(errors), ...firstOf(warnings)];
  return first.map(({ message, pos }) => ({ path: '', line: lines.linePos(pos[0]).line, message }));
}

/** Aliases let a small file stand for a huge one, and no publication needs them. */
function aliasFaults(document: Document, lines: LineCounter): FileFault[] {
  const faults: FileFault[] = [];
  visit(document, {
    Node(_key, node) {
      if (!isAlias(node) && node.anchor === undefined) return undefined;
      faults.push(faultAt(node, lines, 'anchors and aliases are not read: write the value out'));
      return faults.length >= MAX_FIELD_ERRORS ? visit.BREAK : visit.SKIP;
    },
  });
  return faults;
}

/** An escape can write half of a surrogate pair, which has no canonical text and so no digest. */
function halfFaults(document: Document, lines: LineCounter): FileFault[] {
  const faults: FileFault[] = [];
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value !== 'string' || !/\p{Cs}/u.test(node.value)) return undefined;
      faults.push(faultAt(node, lines, 'half a character stands here: a surrogate without its other half'));
      return faults.length >= MAX_FIELD_ERRORS ? visit.BREAK : undefined;
    },
  });
  return faults;
}

/** The parser could look for these itself, but takes the square of their number to do it. */
function keyFaults(document: Document, lines: LineCounter): FileFault[] {
  const faults: FileFault[] = [];
  visit(document, {
    Map(_key, map) {
      if (map.items.length > MAX_KEYS) {
        faults.push(whole(`a map has more than ${MAX_KEYS} keys`));
        return visit.BREAK;
      }
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : key;
        if (seen.has(name)) faults.push(faultAt(key, lines, `the key ${String(name)} stands here twice`));
        seen.add(name);
      }
      return undefined;
    },
  });
  return faults;
}

function faultAt(node: unknown, lines: LineCounter, message: string): FileFault {
  const line = isNode(node) && node.range ? lines.linePos(node.range[0]).line : null;
  return { path: '', line, message };
}

function linesOf(document: Document, counter: LineCounter): Lines {
  const byPath = new Map<string, number>();
  const note = (node: unknown, path: string): void => {
    if (!isNode(node)) return;
    if (node.range) byPath.set(path, counter.linePos(node.range[0]).line);
    if (isSeq(node)) for (const [index, item] of node.items.entries()) note(item, below(path, String(index)));
    if (isMap(node))
      for (const { key, value } of node.items) if (isScalar(key)) note(value, below(path, String(key.value)));
  };
  note(document.contents, '');
  return byPath;
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** The line of what stands at the path, or of the nearest thing around it that the file has. */
export function lineOf(lines: Lines, path: string): number | null {
  const line = lines.get(path);
  if (line !== undefined || path === '') return line ?? null;
  return lineOf(lines, path.slice(0, Math.max(0, path.lastIndexOf('.'))));
}

function firstOf<Fault>(faults: readonly Fault[]): readonly Fault[] {
  return faults.slice(0, MAX_FIELD_ERRORS);
}

export function whole(message: string): FileFault {
  return { path: '', line: null, message };
}

export function failed(faults: readonly FileFault[]): { ok: false; faults: readonly FileFault[] } {
  return { ok: false, faults: firstOf(faults) };
}
