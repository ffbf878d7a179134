/** What one setting is. */
import { z } from 'zod';

interface SettingText {
  /** The environment variable. */
  readonly name: string;
  /** What would be right, to end the sentence "must be …". */
  readonly expects: string;
  readonly description: string;
  /** Whether its value must never be printed. */
  readonly secret?: true;
}

export interface Setting<Value> extends SettingText {
  readonly schema: z.ZodType<Value, string>;
  /** As it would be written in the environment. */
  readonly default: string;
}

/** A setting that may be absent. */
export interface OptionalSetting<Value> extends SettingText {
  readonly schema: z.ZodType<Value, string>;
  readonly default: null;
}

export const wholeNumber = (min: number, max: number): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

export function setting<Value>(literal: Setting<Value>): Setting<Value> {
  return literal;
}

export function optional<Value>(literal: OptionalSetting<Value>): OptionalSetting<Value> {
  return literal;
}
