/** Every view there is: the only list of them. */
import { accountEndpointsProjection } from './account-endpoints.ts';
import { frozenAccountsProjection } from './frozen-accounts.ts';
import { accountsProjection } from './accounts.ts';
import { agencyAccountsProjection } from './agency-accounts.ts';
import { apiKeysProjection } from './api-keys.ts';
import { artifactsProjection } from './artifacts.ts';
import { dataApiProjections } from './data-api.ts';
import { directoryProjections } from './directory.ts';
import { jobsProjection } from './jobs.ts';
import { keySecretsProjection } from './key-secrets.ts';
import { notifySecretsProjection, webhookEndpointsProjection } from './webhook-endpoints.ts';
import { subscriptionsProjection } from './subscriptions.ts';

export const projections = [
  ...directoryProjections,
  jobsProjection,
  artifactsProjection,
  keySecretsProjection,
  apiKeysProjection,
  accountsProjection,
  frozenAccountsProjection,
  webhookEndpointsProjection,
  accountEndpointsProjection,
  notifySecretsProjection,
  agencyAccountsProjection,
  subscriptionsProjection,
  ...dataApiProjections,
] as const;
