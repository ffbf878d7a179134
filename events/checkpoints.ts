/** The port to the places that readers of the log have reached. Every adapter passes checkpoints.contract.ts. */
export interface Checkpoints {
  /** The position kept under this name, or null when there is none yet. */
  get(name: string): Promise<string | null>;

  /** Keeps a position in place of the last one. Resolves only once it is durable. */
  set(name: string, position: string): Promise<void>;
}
