/** Tests that need what this machine may not have: where they cannot run they are never passed over in silence. */

/** Defines a suite of tests, which their hooks belong to, or says why there are none where there is such a reason. */
export function defineUnless(why: string | null, what: string, define: () => void): void {
  if (why === null) describe(what, define);
  else sayUntested(what, why);
}

/** On standard error and in the report. */
export function sayUntested(what: string, why: string): void {
  process.stderr.write(`${what} is not tested: ${why}\n`);
  describe(what, () => void it(`is not tested: ${why}`));
}
