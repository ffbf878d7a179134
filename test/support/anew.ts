/** The module as it is when a program has just started: what others made it keep is not in it. */
export async function anew<Module>(module: URL): Promise<Module> {
  times += 1;
  // Node loads a module once for each address, and takes one that differs in its query for another.
  return (await import(`${module.href}?${times}`)) as Module;
}

let times = 0;
