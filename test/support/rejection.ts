/** The error that a promise was rejected with. @throws when it was not */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`expected a rejection, not ${JSON.stringify(value)}`);
}
