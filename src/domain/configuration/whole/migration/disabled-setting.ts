import type { SourcePosition } from '../../configuration-problem.js';
import type { Setting } from '../../setting/setting.js';

const mark = '/-';

/** A setting that is commented out: nothing but its name counts, and that only beside settings that are not. */
export const disabledSetting = (name: string, position: SourcePosition): Setting => ({
  name: mark + name,
  args: [],
  properties: [],
  children: null,
  position,
  listed: false,
});

/** The name of a setting that is commented out; null for one that is not. */
export const disabledName = (name: string): string | null => (name.startsWith(mark) ? name.slice(mark.length) : null);
