/**
 * Which web pages may call. Programs send no Origin. A page that a browser was tricked into (DNS rebinding) names
 * itself, and is refused; a service on this machine is also open to the pages of this machine, such as the Inspector.
 */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export function createOriginCheck(baseUrl: string): (origin: string | undefined) => boolean {
  const own = new URL(baseUrl);
  const isLocal = LOOPBACK.includes(own.hostname);
  return (origin) => {
    if (origin === undefined) return true;
    if (!URL.canParse(origin)) return false;
    const { protocol, host, hostname } = new URL(origin);
    if (protocol === own.protocol && host === own.host) return true;
    return isLocal && protocol === 'http:' && LOOPBACK.includes(hostname);
  };
}
