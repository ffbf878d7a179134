/** Which imports lie on a cycle, of files or of folders. */
import { posix } from 'node:path';

export interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** The arrows between files from which one comes back to where one was; type imports count. */
export function fileCycles<A extends Arrow>(arrows: readonly A[]): A[] {
  return inCycles(arrows, (file) => file);
}

/** The same between folders, where a folder is the files that lie in it directly. */
export function folderCycles<A extends Arrow>(arrows: readonly A[]): A[] {
  return inCycles(arrows, (file) => posix.dirname(file));
}

function inCycles<A extends Arrow>(arrows: readonly A[], nodeOf: (file: string) => string): A[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of arrows) {
    const targets = next.get(nodeOf(from)) ?? new Set();
    next.set(nodeOf(from), targets.add(nodeOf(to)));
  }
  const reached = new Map([...next.keys()].map((node) => [node, reachableFrom(node, next)]));
  return arrows.filter(({ from, to }) => {
    const [start, end] = [nodeOf(from), nodeOf(to)];
    return start !== end && reached.get(end)?.has(start) === true;
  });
}

function reachableFrom(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const target of next.get(node) ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      open.push(target);
    }
  }
  return reached;
}
