/** Ways in which a disk or an operator damages files, drawn from a seed so that each can be drawn once more. */
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** All that a log, its views and its queue are kept in. */
export const FILES = [
  'bourse.db',
  'bourse.db-wal',
  'bourse.db-shm',
  'bourse.db-head',
  'views.db',
  'views.db-wal',
  'views.db-shm',
  'queue.db',
  'queue.db-wal',
  'queue.db-shm',
  'people.db',
] as const;
export type DataFile = (typeof FILES)[number];

/** Places are shares of the file: the same one in a file that a later run makes a little longer. */
export type Damage =
  | { readonly kind: 'flip'; readonly file: DataFile; readonly share: number; readonly bytes: number }
  | { readonly kind: 'blank'; readonly file: DataFile; readonly share: number; readonly bytes: number }
  | { readonly kind: 'cut'; readonly file: DataFile; readonly share: number }
  | { readonly kind: 'remove'; readonly file: DataFile }
  | { readonly kind: 'swap'; readonly file: DataFile; readonly other: DataFile }
  /** Files as they were at an earlier moment, or as they are in another market; those that were not there go. */
  | { readonly kind: 'replace'; readonly files: readonly DataFile[]; readonly by: number };

/** mulberry32: numbers in [0, 1) that follow from the seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const MAX_DAMAGES = 3;
const MAX_FLIPPED = 64;
const BLANK_BYTES = [512, 4_096, 65_536] as const;

/** @param sources how many folders there are to replace files from */
export function drawDamages(random: () => number, sources: number): readonly Damage[] {
  // Mostly one: where much is damaged at once, much is there to be noticed.
  const count = 1 + Math.floor(random() * random() * MAX_DAMAGES);
  return Array.from({ length: count }, () => drawDamage(random, sources));
}

function drawDamage(random: () => number, sources: number): Damage {
  const file = one(random, FILES);
  switch (one(random, ['flip', 'flip', 'blank', 'cut', 'empty', 'remove', 'swap', 'replace', 'replace'])) {
    case 'flip':
      return { kind: 'flip', file, share: random(), bytes: 1 + Math.floor(random() * MAX_FLIPPED) };
    case 'blank':
      return { kind: 'blank', file, share: random(), bytes: one(random, BLANK_BYTES) };
    case 'cut':
      return { kind: 'cut', file, share: random() };
    case 'empty':
      return { kind: 'cut', file, share: 0 };
    case 'remove':
      return { kind: 'remove', file };
    case 'swap':
      return { kind: 'swap', file, other: one(random, FILES) };
    default: {
      const share = random();
      const files = FILES.filter(() => random() < share);
      return {
        kind: 'replace',
        files: files.length === 0 ? [file] : files,
        by: Math.floor(random() * sources),
      };
    }
  }
}

function one<T>(random: () => number, all: readonly [T, ...T[]]): T {
  return all[Math.floor(random() * all.length)] ?? all[0];
}

/** Which files it changes. */
export function damagedBy(damage: Damage): readonly DataFile[] {
  if (damage.kind === 'replace') return damage.files;
  return damage.kind === 'swap' ? [damage.file, damage.other] : [damage.file];
}

/**
 * Where the log and everybody who knows its end are damaged together, nobody can tell what was there: of those, the file
 * beside the log is spared.
 */
export function withWitness(damages: readonly Damage[], isInViews: boolean): readonly Damage[] {
  const damaged = new Set(damages.flatMap(damagedBy));
  const isLogDamaged = damaged.has('bourse.db') || damaged.has('bourse.db-wal');
  const areViewsSound = isInViews && !damaged.has('views.db') && !damaged.has('views.db-wal');
  if (!isLogDamaged || areViewsSound || !damaged.has('bourse.db-head')) return damages;
  return damages.flatMap((damage): Damage[] => {
    if (damage.kind === 'replace')
      return [{ ...damage, files: damage.files.filter((file) => file !== 'bourse.db-head') }];
    return damagedBy(damage).includes('bourse.db-head') ? [] : [damage];
  });
}

/** @param sources the folders that files are replaced from */
export function inflict(damage: Damage, dataDir: string, sources: readonly string[]): void {
  const place = (file: DataFile): string => join(dataDir, file);
  if (damage.kind === 'replace') {
    for (const file of damage.files) replace(place(file), join(sources[damage.by] ?? '', file));
    return;
  }
  const path = place(damage.file);
  if (!existsSync(path)) return;
  switch (damage.kind) {
    case 'flip':
      return overwrite(path, damage.share, damage.bytes, (byte) => byte ^ 0xa5);
    case 'blank':
      return overwrite(path, damage.share, damage.bytes, () => 0);
    case 'cut':
      return truncateSync(path, Math.floor(statSync(path).size * damage.share));
    case 'remove':
      return rmSync(path);
    case 'swap':
      return swap(path, place(damage.other));
  }
}

function overwrite(path: string, share: number, count: number, change: (byte: number) => number): void {
  const bytes = readFileSync(path);
  const start = Math.floor(bytes.length * share);
  for (let at = start; at < Math.min(bytes.length, start + count); at += 1)
    bytes.writeUInt8(change(bytes.readUInt8(at)), at);
  // In place, as a disk does it: the file stays the same one.
  writeFileSync(path, bytes, { flag: 'r+' });
}

function replace(path: string, by: string): void {
  rmSync(path, { force: true });
  if (existsSync(by)) copyFileSync(by, path);
}

function swap(path: string, other: string): void {
  const aside = `${path}.aside`;
  renameSync(path, aside);
  if (existsSync(other)) renameSync(other, path);
  renameSync(aside, other);
}
