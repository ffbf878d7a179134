/** On which file an upload may be put (RFC 9110 §13.1): the one that its sender knows, or none. */
import { refuse } from '../refusals.ts';
import { condition, namesTag, namesTagWeakly } from './answer-file.ts';

/** As they are sent in the head. */
export const overwriteConditions = {
  ifMatch: condition('ETags (a SHA-256 in quotes) of which the file of this name must have one.', '*'),
  ifNoneMatch: condition('ETags of which the file of this name must have none; * for no such file.', '*'),
};

type OverwriteConditions = Partial<Record<keyof typeof overwriteConditions, string | undefined>>;

/** Null where the upload may go on. @param sha256 of the file that has the name now; null where there is none */
export function unmetCondition({ ifMatch, ifNoneMatch }: OverwriteConditions, sha256: string | null) {
  const tag = sha256 === null ? null : `"${sha256}"`;
  if (ifMatch !== undefined && (tag === null || !namesTag(ifMatch, tag))) return changed('If-Match', tag);
  const isTaken = ifNoneMatch !== undefined && tag !== null && namesTagWeakly(ifNoneMatch, tag);
  return isTaken ? changed('If-None-Match', tag) : null;
}

function changed(path: string, tag: string | null) {
  const now = tag === null ? 'There is no file of this name.' : `The file of this name has the ETag ${tag}.`;
  return refuse('precondition_failed', now, { details: [{ path, message: 'does not hold' }] });
}
