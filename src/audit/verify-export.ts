/**
 * Verifies an audit export with nothing but the file: every line against its hash and the line before, every mandate
 * against its own chain, sums and terms. Names the lines that are wrong, the first one first, and what is wrong.
 */
import type { RecordedEvent } from '../../events/event.ts';
import { EXPORT_VERSION, type ExportLine, FIRST_PREV, readLine } from './export-line.ts';
import { type Replay, replayEvent, startOfReplay } from './replay-mandate.ts';

export type Wrong = 'changed' | 'missing' | 'inserted' | 'reordered' | 'forked';

export interface ExportFinding {
  /** In the file, from 1. */
  readonly line: number;
  readonly wrong: Wrong;
  readonly problem: string;
}

export interface ExportReport {
  readonly lines: number;
  readonly events: number;
  readonly mandates: number;
  /** The hash of the last line: whoever keeps it can tell later whether a new export begins with this one. */
  readonly headHash: string;
  readonly findings: readonly ExportFinding[];
}

const MAX_FINDINGS = 50;

/** `lines` are the texts between line feeds; a last one that is not ended by one is given too. */
export async function verifyExport(lines: AsyncIterable<string> | Iterable<string>): Promise<ExportReport> {
  const check = createCheck();
  for await (const text of lines) check.take(text);
  return check.report();
}

interface Check {
  readonly take: (text: string) => void;
  readonly report: () => ExportReport;
}

/** What is known of a place in the file that has been read. */
interface Last {
  readonly n: number;
  readonly hash: string;
  readonly prev: string;
}

function createCheck(): Check {
  const findings: ExportFinding[] = [];
  /** Numbers that were skipped: found later, the lines were only moved. */
  const gaps: { readonly line: number; readonly from: number; readonly to: number; found: boolean }[] = [];
  const streams = createStreams();
  let lineNumber = 0;
  let events = 0;
  let last: Last = { n: -1, hash: FIRST_PREV, prev: '' };
  let ended = false;

  const find = (line: number, wrong: Wrong, problem: string): void => {
    if (findings.length < MAX_FINDINGS) findings.push({ line, wrong, problem });
  };

  function place(line: ExportLine): void {
    const expected = last.n + 1;
    if (line.n > expected) {
      gaps.push({ line: lineNumber, from: expected, to: line.n - 1, found: false });
    } else if (line.n < expected) {
      const gap = gaps.find(({ from, to }) => from <= line.n && line.n <= to);
      if (gap !== undefined) gap.found = true;
      else if (line.hash === last.hash) find(lineNumber, 'inserted', 'it stands here twice');
      else if (line.prev === last.prev) find(lineNumber, 'forked', `two lines claim to be number ${line.n}`);
      else find(lineNumber, 'inserted', `number ${line.n} was there before`);
      return;
    } else if (line.prev !== last.hash) {
      find(lineNumber - 1, 'changed', 'the line after it was written after another one');
    }
    last = line;
  }

  function content({ body, n }: ExportLine): void {
    if (ended) return find(lineNumber, 'inserted', 'it stands after the end');
    if ((body.kind === 'begin') !== (n === 0))
      return find(lineNumber, 'inserted', 'a beginning stands first, and only there');
    if (body.kind === 'begin' && body.version !== EXPORT_VERSION)
      return find(lineNumber, 'changed', `version ${body.version} is not known`);
    if (body.kind === 'end') {
      ended = true;
      if (body.events !== events)
        find(lineNumber, 'missing', `${body.events} events were written, ${events} are here`);
    }
    if (body.kind !== 'event') return;
    events += 1;
    for (const { wrong, problem } of streams.take(body.event)) find(lineNumber, wrong, problem);
  }

  return {
    take(text) {
      lineNumber += 1;
      const line = readLine(text);
      if (typeof line === 'string') {
        find(lineNumber, 'changed', line);
        // The next line tells what its hash should have been; its number is taken as it would be.
        last = { n: last.n + 1, hash: UNKNOWN, prev: last.hash };
        return;
      }
      if (last.hash === UNKNOWN && line.n === last.n + 1) last = { ...last, hash: line.prev };
      place(line);
      content(line);
    },
    report() {
      if (!ended) find(lineNumber + 1, 'missing', 'the file ends before its end');
      if (ended && events === 0) find(lineNumber, 'missing', 'it has no event: nothing was exported');
      for (const { line, from, to, found } of gaps) {
        const what = from === to ? `line ${from + 1} is` : `lines ${from + 1} to ${to + 1} are`;
        if (found) find(line, 'reordered', `${what} further down`);
        else find(line, 'missing', `${what} not here`);
      }
      findings.sort((a, b) => a.line - b.line);
      return { lines: lineNumber, events, mandates: streams.mandates(), headHash: last.hash, findings };
    },
  };
}

/** In place of the hash of a line that could not be read. */
const UNKNOWN = 'unknown';

interface Streams {
  readonly take: (event: RecordedEvent) => readonly Pick<ExportFinding, 'wrong' | 'problem'>[];
  readonly mandates: () => number;
}

/** The streams within the file: each without gaps, and mandates replayed with all that they claim. */
function createStreams(): Streams {
  const replays = new Map<string, Replay>();
  const revisions = new Map<string, number>();
  return {
    take(event) {
      const { streamId, revision, type } = event;
      const before = revisions.get(streamId) ?? -1;
      revisions.set(streamId, Math.max(before, revision));
      const place = placeProblem(streamId, before, revision);
      if (!streamId.startsWith('mandate-')) return place;
      const replay = replays.get(streamId) ?? startOfReplay();
      const isNew = revision > before;
      const { next, step } = replayEvent(replay, event);
      if (isNew) replays.set(streamId, next);
      const claims = step.findings.map(
        ({ problem }) => ({ wrong: 'changed', problem: `${type}: ${problem}` }) as const,
      );
      return [...place, ...claims];
    },
    mandates: () => replays.size,
  };
}

function placeProblem(
  streamId: string,
  before: number,
  revision: number,
): readonly Pick<ExportFinding, 'wrong' | 'problem'>[] {
  if (revision === before + 1) return [];
  const problem = `${streamId} goes from revision ${before} to ${revision}`;
  if (revision > before) return [{ wrong: 'missing', problem }];
  return [{ wrong: 'forked', problem: `${streamId} has revision ${revision} twice` }];
}
