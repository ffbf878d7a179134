/** One time budget for all that a request asks of the log, so that an answer or a 503 comes within five seconds. */
import type { Services } from './services.ts';

/** What is left of the five seconds is for all else. */
const LOG_MS = 4_500;

/**
 * The services for one request, or for one look at the log of a request that waits between its looks. The same ones where
 * the log is at hand: its calls take no time to speak of.
 */
export function withinBudget<Given extends Pick<Services, 'events' | 'commands'>>(services: Given): Given {
  const { events, commands } = services;
  if (events.within === undefined) return services;
  const untilMs = performance.now() + LOG_MS;
  return { ...services, events: events.within(untilMs), commands: commands.within(untilMs) };
}
