/**
 * Verifies an audit export with nothing but the file: every line against its hash and the line before, every mandate
 * against its own chain, sums and terms. Names the lines that are wrong, the first one first, and what is wrong.
 */
import type { RecordedEvent } from '../../events/event.ts';
import { type ExportBody, type ExportLine, FIRST_PREV, KNOWN_VERSIONS, readLine } from './export-line.ts';
import { lacksClearText, withEmptyText } from './without-clear-text.ts';
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
  /** Events whose order was left out: their hashes are taken from the file, and only their successors vouch for them. */
  readonly withheld: number;
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
  let withheld = 0;
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
    if (body.kind === 'begin' && !KNOWN_VERSIONS.includes(body.version))
      return find(lineNumber, 'changed', `version ${body.version} is not known`);
    if (body.kind === 'end') {
      ended = true;
      if (body.events !== events)
        find(lineNumber, 'missing', `${body.events} events were written, ${events} are here`);
    }
    if (body.kind !== 'event') return;
    events += 1;
    const hash = withheldHash(body);
    if (hash !== undefined) withheld += 1;
    else if (body.hash !== undefined)
      find(lineNumber, 'changed', 'it says a hash, and nothing of it was left out');
    for (const { wrong, problem } of streams.take(body.event, hash)) find(lineNumber, wrong, problem);
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
      const { hash: headHash } = last;
      const mandates = streams.mandates();
      return { lines: lineNumber, events, mandates, withheld, headHash, findings };
    },
  };
}

/** Only an order in clear is ever left out. */
function withheldHash({ event, hash }: Extract<ExportBody, { kind: 'event' }>): string | undefined {
  return hash !== undefined && lacksClearText(event) ? hash : undefined;
}

/** In place of the hash of a line that could not be read. */
const UNKNOWN = 'unknown';

interface Streams {
  readonly take: (
    event: RecordedEvent,
    hash: string | undefined,
  ) => readonly Pick<ExportFinding, 'wrong' | 'problem'>[];
  readonly mandates: () => number;
}

/** The streams within the file: each without gaps, and mandates replayed with all that they claim. */
function createStreams(): Streams {
  const replays = new Map<string, Replay>();
  const ends = new Map<string, StreamEnd>();
  let lastPosition = '';
  return {
    take(event, hash) {
      const { streamId, revision, position, at, type } = event;
      const end = ends.get(streamId) ?? { revision: -1, at: '' };
      const before = end.revision;
      ends.set(streamId, { revision: Math.max(before, revision), at: at > end.at ? at : end.at });
      const place = [...placeProblem(streamId, before, revision), ...orderProblems(lastPosition, end, event)];
      if (position > lastPosition) lastPosition = position;
      if (!streamId.startsWith('mandate-')) return place;
      const replay = replays.get(streamId) ?? startOfReplay();
      const isNew = revision > before;
      const { next, step } =
        hash === undefined ? replayEvent(replay, event) : replayEvent(replay, withEmptyText(event), hash);
      if (isNew) replays.set(streamId, next);
      const claims = step.findings.map(
        ({ problem }) => ({ wrong: 'changed', problem: `${type}: ${problem}` }) as const,
      );
      return [...place, ...claims];
    },
    mandates: () => replays.size,
  };
}

/** Of a stream, as far as it was read. */
interface StreamEnd {
  readonly revision: number;
  readonly at: string;
}

/** Positions grow over the whole file. Times grow within a stream: clocks of several machines differ. */
function orderProblems(
  lastPosition: string,
  end: StreamEnd,
  { streamId, position, at }: RecordedEvent,
): readonly Pick<ExportFinding, 'wrong' | 'problem'>[] {
  const problems: Pick<ExportFinding, 'wrong' | 'problem'>[] = [];
  if (position === lastPosition)
    problems.push({ wrong: 'forked', problem: `two events claim the position ${position}` });
  if (position < lastPosition) {
    const problem = `its position ${position} is before that of the event before it, ${lastPosition}`;
    problems.push({ wrong: 'reordered', problem });
  }
  // Mandates are replayed, which finds it too.
  if (at < end.at && !streamId.startsWith('mandate-')) {
    const problem = `its time ${at} is before that of the event before it in ${streamId}, ${end.at}`;
    problems.push({ wrong: 'reordered', problem });
  }
  return problems;
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
