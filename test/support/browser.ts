/** Debian's Chromium for tests, where there is one: a browser is no dependency of this project. */
import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where it is; null if there is none, and CHROMIUM_PATH names none. */
export function browserPath(): string | null {
  return [process.env['CHROMIUM_PATH'] ?? '', ...PLACES].find(isExecutable) ?? null;
}

export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  });
}

function isExecutable(path: string): boolean {
  if (path === '') return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
