import type { Projector } from '../../src/projecting/projector.ts';

/** Has it project to where the log ends now, as a command does that has no server beside it. @throws as `caughtUp` */
export async function catchUpOnce(projector: Projector): Promise<void> {
  await projector.start(true);
  try {
    await projector.caughtUp();
  } finally {
    await projector.stop();
  }
}
