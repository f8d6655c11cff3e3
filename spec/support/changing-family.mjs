// A family whose list of tools changes by its own tools: `grow` adds one, `shrink` takes it away, `touch` changes nothing.
import { tool } from './plain-tool.mjs';

let extra = false;

export const family = {
  name: 'changing',
  apiVersion: 1,
  listCanChange: true,
  listScope: 'private',
  tools: (context) => {
    const change = (to) => () => {
      extra = to ?? extra;
      context.listChanged();
      return extra ? 'two faces' : 'one face';
    };
    const list = [tool('grow', change(true)), tool('shrink', change(false)), tool('touch', change(undefined))];
    return extra ? [...list, tool('extra', () => 'extra')] : list;
  },
};
