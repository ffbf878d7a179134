/** Ports on which web servers are found, and not something else that could be made to take our message for its own. */

const USUAL = [80, 443];
/** Above the well-known ones: databases, queues, consoles and proxies that answer to text. */
const OF_SOMETHING_ELSE = new Set([
  1080, 1433, 1521, 1719, 1720, 1723, 2049, 2113, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 3659, 4045, 4190,
  5060, 5061, 5432, 5672, 5900, 5984, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 8086, 9042,
  9092, 9200, 9300, 10080, 10250, 11211, 15672, 26379, 27017, 27018, 27019, 50051,
]);
const FIRST_FREE = 1_024;

/** @param port as a URL has it: empty for the one of its scheme */
export function isWebPort(port: string): boolean {
  if (port === '') return true;
  const number = Number(port);
  return USUAL.includes(number) || (number >= FIRST_FREE && !OF_SOMETHING_ELSE.has(number));
}
