/** What imports work with, and who is behind them. */
import type { Services } from '../operations/services.ts';

export type ImportServices = Pick<Services, 'events' | 'commands' | 'blobs'>;

export interface ImportCause {
  readonly at: string;
  readonly actor: string;
  readonly requestId: string;
}
