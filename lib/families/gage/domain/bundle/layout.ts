/** Names in a bundle's folder. */
export const layout = { manifest: 'manifest.json', signature: 'manifest.sig', items: 'items' } as const;

/** The name of an item's file in `items`: its index in four digits. What the sender calls an item is a label and never a path. */
export function itemName(index: number): string {
  return String(index).padStart(4, '0');
}
