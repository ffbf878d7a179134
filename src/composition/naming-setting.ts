/** Says which setting is to be looked at when the engine cannot be used. */
export async function naming<Opened>(
  setting: string,
  Unavailable: new (message: string, options?: ErrorOptions) => Error,
  open: () => Promise<Opened>,
): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    throw new Unavailable(`${setting}: ${error.message}`, { cause: error.cause });
  }
}
