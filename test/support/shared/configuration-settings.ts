import { readKdl } from '../../../src/adapters/outbound/kdl-configuration/kdl-document.js';
import { SettingTree } from '../../../src/adapters/outbound/kdl-configuration/setting-tree.js';
import { SourceText } from '../../../src/adapters/outbound/kdl-configuration/source-text.js';
import type { Setting } from '../../../src/domain/configuration/setting/setting.js';

/** The settings of a text in KDL that has no references; the file is called `gateway.kdl`. */
export const settingsOf = (text: string): readonly Setting[] => {
  const document = readKdl(text);
  if (!document.ok) throw new Error(document.error.map(({ message }) => message).join('; '));
  const tree = new SettingTree(new SourceText('gateway.kdl', text), new Map(), (offset, message) => {
    throw new Error(`${offset}: ${message}`);
  });
  return tree.build(document.value);
};
