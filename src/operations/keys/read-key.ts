/** A key as its own stream has it: never behind what was changed about it. */
import { keyDecider } from '../../../commands/key/key.ts';
import { type ApiKeyDocument, apiKeysProjection } from '../../../projections/api-keys.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import { projectStream } from '../../projecting/project-stream.ts';
import type { Services } from '../services.ts';

/** Undefined if there is no such key. */
export function readKey(
  { events }: Pick<Services, 'events'>,
  keyId: string,
): Promise<ApiKeyDocument | undefined> {
  return projectStream(events, apiKeysProjection, streamIdOf(keyDecider, keyId), keyId);
}
