/**
 * What gRPC tells a server over TLS about the name that it is called by. It says the IP address where there is no name,
 * which TLS does not allow (RFC 6066, section 3), and Node warns of it (DEP0123) on standard error. Certificates are
 * checked against the address all the same.
 */
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';

type Target = Parameters<ChannelCredentials['_createSecureConnector']>;
type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

const secure: ChannelCredentials = Object.getPrototypeOf(
  credentials.createFromSecureContext(createSecureContext()),
);
const createConnector: (this: ChannelCredentials, ...target: Target) => SecureConnector = Reflect.get(
  secure,
  '_createSecureConnector',
);

/** From now on, on all connections of gRPC: the client makes some by itself to find the leader of a cluster. */
export function tellNoAddressAsName(): void {
  secure._createSecureConnector = function (this: ChannelCredentials, ...target) {
    const connector = createConnector.apply(this, target);
    const options: unknown = Reflect.get(connector, 'connectionOptions');
    if (options instanceof Object && 'servername' in options && isIP(String(options.servername)) !== 0)
      options.servername = '';
    return connector;
  };
}
