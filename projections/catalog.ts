/** Every view there is: the only list of them. */
import { accountEndpointsProjection } from './account-endpoints.ts';
import { frozenAccountsProjection } from './frozen-accounts.ts';
import { accountsProjection } from './accounts.ts';
import { agencyAccountsProjection } from './agency-accounts.ts';
import { apiKeysProjection } from './api-keys.ts';
import { artifactsProjection } from './artifacts.ts';
import { jobsProjection } from './jobs.ts';
import { keySecretsProjection } from './key-secrets.ts';
import { notifySecretsProjection, webhookEndpointsProjection } from './webhook-endpoints.ts';
import { subscriptionsProjection } from './subscriptions.ts';
import { agencies } from './agencies.ts';
import { agentDirectory } from './agent-directory.ts';
import { bundleManifests, bundles } from './bundles.ts';
import { directoryChanges } from './directory-changes.ts';
import { methodologies } from './methodologies.ts';
import { retiredAgents } from './retired-agents.ts';
import { verificationRecords } from './verification-records.ts';
import { dataSets } from './data-sets.ts';
import { directoryRows } from './directory-rows.ts';
import { imports } from './imports.ts';
import { models } from './models.ts';
import { tools } from './tools.ts';

export const dataApiProjections = [dataSets, directoryRows, tools, models, imports] as const;

export const directoryProjections = [
  agentDirectory,
  verificationRecords,
  retiredAgents,
  agencies,
  bundles,
  bundleManifests,
  methodologies,
  directoryChanges,
] as const;

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
