/** A line on the terminal that says every second how far a long work is. */

export interface Progress {
  readonly phase: string;
  readonly done: number;
  /** Null while nobody knows. */
  readonly total: number | null;
}

export interface ProgressLine {
  readonly show: (progress: Progress) => void;
  /** Leaves the last state standing. */
  readonly end: () => void;
}

export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

const EVERY_MS = 1_000;
/** ECMA-48: erases what a longer line has left behind. */
const REST_OF_LINE = '\u001B[K';

/** On a terminal the line is written over; elsewhere there is one for each second. */
export function progressLine(output: ProgressOutput, nowMs: () => number): ProgressLine {
  let latest: Progress | undefined;
  let began = { atMs: 0, done: 0 };
  let shownAtMs = 0;

  const print = (isOver: boolean): void => {
    shownAtMs = nowMs();
    if (latest === undefined) return;
    const text = textOf(latest, began, shownAtMs);
    if (output.isTTY === true) output.write(`${text}${REST_OF_LINE}${isOver ? '\n' : '\r'}`);
    else output.write(`${text}\n`);
  };
  const end = (): void => {
    print(true);
    latest = undefined;
  };
  return {
    show(progress) {
      if (progress.phase !== latest?.phase) {
        end();
        began = { atMs: nowMs(), done: progress.done };
      }
      latest = progress;
      if (nowMs() - shownAtMs >= EVERY_MS) print(false);
    },
    end,
  };
}

function textOf(
  { phase, done, total }: Progress,
  began: { readonly atMs: number; readonly done: number },
  nowMs: number,
): string {
  const seconds = (nowMs - began.atMs) / 1_000;
  const rate = seconds > 0 ? `, ${Math.round((done - began.done) / seconds)}/s` : '';
  const share = total === null ? '' : ` of ${total} events (${percent(done, total)} %)`;
  return `${phase} ${done}${share}${rate}`;
}

function percent(done: number, total: number): number {
  return total === 0 ? 100 : Math.floor((100 * done) / total);
}
