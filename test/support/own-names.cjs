/** Preloaded (`NODE_OPTIONS=--require`), it has a program ask the DNS server that NAME_SERVER says, and no other. */
const dns = require('node:dns');
const { syncBuiltinESMExports } = require('node:module');

const server = process.env.NAME_SERVER;
dns.promises.Resolver = class extends dns.promises.Resolver {
  constructor(options) {
    super(options);
    this.setServers([server]);
  }
};
syncBuiltinESMExports();
