/** What operations work with. The composition root (src/composition/app.ts) puts it together; tests may put another together. */
import type { EventStore } from '../../events/event-store.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import type { CommandRunner } from '../commanding/command-runner.ts';
import type { NoteEngine } from '../logging/engine-notes.ts';
import type { Role } from '../settings/roles.ts';
import type { Checkout } from '../settings/settings.ts';
import type { ServiceStatus } from '../background/background-services.ts';
import type { ReactionStatus } from '../background/reactor.ts';
import type { DenialLog } from '../commanding/denial-log.ts';
import type { Projector } from '../projecting/projector.ts';
import type { StreamWatch } from '../following/stream-watch.ts';
import type { Exports } from '../exporting/exports.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { DeliveryLog } from '../ports/delivery-log.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Payments } from '../ports/payments.ts';
import type { Queue } from '../ports/queue.ts';
import type { Digest } from './digest.ts';
import type { Metering } from './metering.ts';
import type { PrivateTexts } from './private-texts/private-texts.ts';
import type { Signer } from './signer.ts';

/** How many somebody may have, and how often change what others bear. */
export interface Limits {
  /** Of an account. */
  readonly webhookEndpoints: number;
  /** Agents and bundles that an agency lists by itself. */
  readonly listings: number;
  /** Of an agency by itself: all its listings follow. */
  readonly profileChangesPerDay: number;
  /** Of one bundle by its agency: each version stays known for ever. */
  readonly bundleVersionsPerDay: number;
}

export interface Services {
  readonly events: EventStore;
  /** Whether a stream was begun a moment ago, as what this process follows says; false may mean that it was. */
  readonly hasBegun: (streamId: string) => boolean;
  readonly commands: CommandRunner;
  /** So long a request waits for the log, and for views of it. */
  readonly logMs: number;
  readonly denials: DenialLog;
  readonly views: ViewStore;
  readonly projector: Projector;
  readonly signer: Signer;
  /** What accounts write freely, by their keys. */
  readonly privateTexts: PrivateTexts;
  /** Wakes those who wait for a job. */
  readonly jobWatch: StreamWatch;
  readonly payments: Payments;
  /** Where jobs are paid. */
  readonly checkout: Checkout;
  readonly blobs: Blobs;
  /** Data sets as files. */
  readonly exports: Exports;
  readonly queue: Queue;
  readonly deliveries: DeliveryLog;
  /** Counts requests against the plan of their account. */
  readonly metering: Metering;
  /** How often one record webhook may be posted to. */
  readonly recordLimiter: Limiter;
  /** What this process does of the whole. */
  readonly role: Role;
  /** Told what was found of an engine: why it cannot be used, or null. The log of the process tells of each change. */
  readonly noteEngine: NoteEngine;
  /** Why the next start would sign with another secret than this process; null where it would not. */
  readonly secretError: () => Error | null;
  /** How what it does beside requests stands: nothing until it was started. */
  readonly duties: () => readonly ServiceStatus[];
  /** The reactions that run in this process. */
  readonly reactions: () => readonly ReactionStatus[];
  /** For so many days after the end of a job its agency reads what the buyer wrote. */
  readonly orderVisibleDays: number;
  readonly limits: Limits;
  /** The public address of the service, without a slash at its end: links in answers begin with it. */
  readonly baseUrl: string;
  /** Prefix of API keys, such as `brs`. */
  readonly keyPrefix: string;
  /** Prefix of our own property names in JSON-LD, such as `bourse`. */
  readonly jsonLdNamespace: string;
  /** Where to report a weakness: an address of mail or web. */
  readonly securityContact: string;
  /** The whole directory as one text. */
  readonly digest: Digest;
}
