/**
 * One time budget for all that a request waits for: what it asks of the log, and the views that are to show what it wrote
 * or what was there before it, so that an answer or a 503 comes within five seconds.
 */
import { SETTLED_WITHIN_MS } from '../commanding/denial-log.ts';
import type { Services } from './services.ts';

/** What is left of the five seconds is for all else. */
export const LOG_MS = 4_500;

type Waited = Pick<Services, 'events' | 'commands' | 'logMs'> &
  Partial<Pick<Services, 'projector' | 'denials' | 'jobWatch'>>;

/**
 * The services for one request, or for one look at the log of a request that waits between its looks: whatever they wait
 * for, they wait no longer than is left. The same ones where the log is at hand: its calls take no time to speak of.
 * @param untilMs when that ends, by `performance.now()`; the whole of it is left when absent
 */
export function withinBudget<Given extends Waited>(services: Given, untilMs?: number): Given {
  const { events, commands, logMs, projector, denials, jobWatch } = services;
  if (events.within === undefined) return services;
  const endMs = untilMs ?? performance.now() + logMs;
  const leftMs = (ms: number): number => Math.max(0, Math.min(ms, endMs - performance.now()));
  return {
    ...services,
    events: events.within(endMs),
    commands: commands.within(endMs),
    ...(projector && {
      projector: {
        ...projector,
        reached: (view, position, timeoutMs) => projector.reached(view, position, leftMs(timeoutMs)),
      },
    }),
    ...(denials && {
      denials: { ...denials, settled: (mandateId) => denials.settled(mandateId, leftMs(SETTLED_WITHIN_MS)) },
    }),
    ...(jobWatch && {
      jobWatch: {
        ...jobWatch,
        take: (owner, streamId) => jobWatch.take(owner, streamId, leftMs(Infinity)),
      },
    }),
  };
}
