/** The version of the program; a test compares it with package.json, which lies elsewhere once it is built. */
export const VERSION = '0.1.0';
