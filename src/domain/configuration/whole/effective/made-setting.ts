import type { Setting, SettingScalar } from '../../setting/setting.js';

/** A setting that stands in no file. */
export const madeSetting = (
  name: string,
  args: readonly SettingScalar[],
  children: readonly Setting[] | null,
): Setting => ({ name, args, properties: [], children, position: null, listed: false });
