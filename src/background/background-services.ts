/**
 * What a process does beside answering requests. A service that only one process may run at a time runs under a lease:
 * the others stand by, and one of them takes over when its holder stops or dies.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Leases, LeasesUnavailable } from '../ports/leases.ts';
import type { ServiceName } from '../settings/roles.ts';
import { holdLease, type LeaseError } from './lease-holder.ts';

export interface BackgroundService {
  readonly name: ServiceName;
  /** Whether at most one process may do it at a time. */
  readonly isExclusive: boolean;
  /** Does it until the signal is aborted, and resolves when nothing of it runs any more. */
  readonly work: (signal: AbortSignal) => Promise<void>;
}

export type ServiceState =
  | 'working'
  /** Another process does it. */
  | 'standing-by'
  | 'stopped';

export interface ServiceStatus {
  readonly duty: ServiceName;
  readonly state: ServiceState;
}

export interface BackgroundServices {
  readonly status: () => readonly ServiceStatus[];
  /** Resolves when all of them have ended; their leases are free by then. */
  readonly stop: () => Promise<void>;
}

export interface ServiceParts {
  readonly leases: Leases;
  /** Told of each failure; the service goes on as soon as it can. */
  readonly onError: (service: ServiceName, error: unknown) => void;
}

/** One that dies is replaced within one and a half times this (lease-holder.ts). */
const LEASE_MS = 6_000;

export function startBackgroundServices(
  services: readonly BackgroundService[],
  parts: ServiceParts,
): BackgroundServices {
  const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
  const started = services.map((service) =>
    service.isExclusive ? startExclusive(service, holder, parts) : startShared(service, parts),
  );
  return {
    status: () => started.map(({ status }) => status()),
    async stop() {
      await Promise.all(started.map(({ stop }) => stop()));
    },
  };
}

interface StartedService {
  readonly status: () => ServiceStatus;
  readonly stop: () => Promise<void>;
}

function startExclusive(
  { name, work }: BackgroundService,
  holder: string,
  { leases, onError }: ServiceParts,
): StartedService {
  const lease = holdLease({
    leases,
    name,
    holder,
    ttlMs: LEASE_MS,
    run: work,
    onError: (error) => onError(name, asError(error)),
  });
  let isStopped = false;
  const leaseState = (): ServiceState => (lease.isHolding() ? 'working' : 'standing-by');
  return {
    status: () => ({ duty: name, state: isStopped ? 'stopped' : leaseState() }),
    stop() {
      isStopped = true;
      return lease.stop();
    },
  };
}

function startShared({ name, work }: BackgroundService, { onError }: ServiceParts): StartedService {
  const stopping = new AbortController();
  let isEnded = false;
  const ended = work(stopping.signal)
    .catch((error: unknown) => onError(name, error))
    .finally(() => (isEnded = true));
  return {
    status: () => ({ duty: name, state: isEnded ? 'stopped' : 'working' }),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

function asError(error: LeaseError): unknown {
  switch (error.kind) {
    case 'away':
    case 'failed':
      return error.error;
    case 'lost':
      return new LeasesUnavailable('the lease could not be taken anew in time');
    case 'overrun':
      return new Error('the work did not stop although its lease is over');
  }
}
