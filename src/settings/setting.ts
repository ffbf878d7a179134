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

export type ValueOf<Wanted> =
  Wanted extends Setting<infer Value>
    ? Value
    : Wanted extends OptionalSetting<infer Value>
      ? Value | undefined
      : never;

/** What a setting is that takes a whole number. */
export function wholeNumber(
  min: number,
  max: number,
  expects = `a whole number from ${min} to ${max}`,
): Pick<Setting<number>, 'schema' | 'expects'> {
  const schema = z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));
  return { schema, expects };
}

export function setting<Value>(literal: Setting<Value>): Setting<Value> {
  return literal;
}

export function optional<Value>(literal: Omit<OptionalSetting<Value>, 'default'>): OptionalSetting<Value> {
  return { ...literal, default: null };
}
