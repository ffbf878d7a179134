/** Files and folders that this process makes from now on are its user's alone: its data, exports and secrets. */
export function makeFilesOwnerOnly(): void {
  process.umask(0o077);
}
