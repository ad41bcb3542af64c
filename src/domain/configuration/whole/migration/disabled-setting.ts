import type { SourcePosition } from '../../configuration-problem.js';
import type { Setting } from '../../setting/setting.js';

const mark = '/-';

/** A commented-out setting. Only its name matters, and only next to active settings. */
export const disabledSetting = (name: string, position: SourcePosition): Setting => ({
  name: mark + name,
  args: [],
  properties: [],
  children: null,
  position,
  listed: false,
});

/** The name of a commented-out setting; null: the setting is active. */
export const disabledName = (name: string): string | null => (name.startsWith(mark) ? name.slice(mark.length) : null);
