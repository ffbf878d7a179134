/**
 * What the double does not do as the servers do, each with its reason. It says so instead of answering otherwise.
 * Services that it lacks altogether (persistent subscriptions, projections, users, operations, monitoring) are refused
 * by gRPC itself, as methods that the server does not implement.
 */
export const NOT_FOLLOWED = {
  'nameless stream': 'an append to the stream "" or "$$" ends a 23.10 server; a later one was not asked',
  'name in a header':
    'a failure names its stream in a header, which is ASCII; what servers do with other names was not recorded',
} as const;
