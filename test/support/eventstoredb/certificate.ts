/** A certificate for this machine's loopback address, signed by itself: what a server with TLS needs in a test. */
import { generateKeyPairSync, sign } from 'node:crypto';

export interface SelfSigned {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** So that it does not matter what the clock of a test says. */
const BEGIN_OF_2020 = '200101000000Z';
const END_OF_2049 = '491231235959Z';
export const END_OF_2020 = '201231235959Z';
/** DER tags (X.690). */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utf8: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;
/** Object identifiers, encoded: ecdsa-with-SHA256, commonName, basicConstraints, subjectAltName. */
const OID = {
  ecdsaSha256: Buffer.from('06082a8648ce3d040302', 'hex'),
  commonName: Buffer.from('0603550403', 'hex'),
  basicConstraints: Buffer.from('0603551d13', 'hex'),
  subjectAltName: Buffer.from('0603551d11', 'hex'),
} as const;

/** Good for the name and 127.0.0.1, from 2020 on; it is its own authority (RFC 5280). */
export function selfSigned(name = 'localhost', until = END_OF_2049): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = der(TAG.sequence, OID.ecdsaSha256);
  const subject = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, OID.commonName, der(TAG.utf8, Buffer.from('test')))),
  );
  const validity = der(
    TAG.sequence,
    ...[BEGIN_OF_2020, until].map((time) => der(TAG.utcTime, Buffer.from(time))),
  );
  const content = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.of(2))),
    der(TAG.integer, Buffer.of(1)),
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(TAG.extensions, der(TAG.sequence, authority(), alternativeNames(name))),
  );
  const signature = Buffer.concat([Buffer.of(0), sign('sha256', content, privateKey)]);
  const certificate = der(TAG.sequence, content, algorithm, der(TAG.bitString, signature));
  return {
    certificatePem: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function authority(): Buffer {
  const isAuthority = der(TAG.sequence, der(TAG.boolean, Buffer.of(0xff)));
  return der(TAG.sequence, OID.basicConstraints, der(TAG.octetString, isAuthority));
}

function alternativeNames(name: string): Buffer {
  const names = der(
    TAG.sequence,
    der(TAG.dnsName, Buffer.from(name)),
    der(TAG.ipAddress, Buffer.of(127, 0, 0, 1)),
  );
  return der(TAG.sequence, OID.subjectAltName, der(TAG.octetString, names));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), derLength(content.length), content]);
}

function derLength(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
}
