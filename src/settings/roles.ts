/** What one process does of the whole: everything, or one part of it beside others that do the rest. */

export const ROLES = ['all', 'api', 'projector', 'worker'] as const;
export type Role = (typeof ROLES)[number];

/** What a process does beside answering requests. */
export type ServiceName = 'projector' | 'reactor' | 'tasks';

const SERVICES_OF: Readonly<Record<Role, readonly ServiceName[]>> = {
  all: ['projector', 'reactor', 'tasks'],
  api: [],
  projector: ['projector'],
  worker: ['reactor', 'tasks'],
};

export function hasService(role: Role, service: ServiceName): boolean {
  return SERVICES_OF[role].includes(service);
}

/** Whether it answers more than the questions of monitoring. */
export function isServing(role: Role): boolean {
  return role === 'all' || role === 'api';
}
