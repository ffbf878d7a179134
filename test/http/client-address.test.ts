import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { clientKey, networkOf } from '../../src/transport/client-address.ts';

/** As much of a request as its address takes. */
function requestFrom(remoteAddress: string, forwardedFor?: string): IncomingMessage {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

describe('client addresses', () => {
  for (const [address, network] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['0:0:0:0:0:FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:7f00:1', '127.0.0.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
    ['not an address: 1', 'not an address: 1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0000:0000:1:2:3:4', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ] as const) {
    it(`${address} counts as ${network}`, () => {
      expect(networkOf(address)).to.equal(network);
    });
  }

  for (const [what, forwardedFor, hops, client] of [
    ['no trust', '192.0.2.1', 0, '10.9.9.9'],
    ['one proxy', '203.0.113.5, 192.0.2.1', 1, '192.0.2.1'],
    ['two proxies', '203.0.113.5, 192.0.2.1, 10.0.0.1', 2, '192.0.2.1'],
    ['fewer entries than proxies', '192.0.2.1', 3, '192.0.2.1'],
    ['no header field', undefined, 2, '10.9.9.9'],
    ['an entry that is no address', '192.0.2.1, unknown', 2, '10.9.9.9'],
    ['nonsense further left', 'nonsense, 192.0.2.1', 2, '192.0.2.1'],
    ['a port', '192.0.2.1:4711', 1, '192.0.2.1'],
    ['an IPv6 address with port', '[2001:db8::1]:4711', 1, '2001:db8:0:0::/64'],
    ['spaces and empty entries', ' 192.0.2.1 ,', 1, '10.9.9.9'],
  ] as const) {
    it(`with ${what} is ${client}`, () => {
      expect(clientKey(requestFrom('10.9.9.9', forwardedFor), hops)).to.equal(client);
    });
  }
});
