/** The parts of the Model Context Protocol's wire shapes that a tool server sends (revisions 2024-11-05 to 2026-07-28). */

/** Syslog severities (RFC 5424), as MCP names them, least severe first. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** Hints about a tool's behaviour; every tool here carries all of them. */
export type ToolAnnotations = {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
};

/** An icon of a tool (revision 2025-11-25 on). */
export type Icon = { readonly src: string; readonly mimeType?: string; readonly sizes?: readonly string[] };

/** Who a content block is for, and how much it matters (0 to 1). */
export type ContentAnnotations = { readonly audience?: readonly ('user' | 'assistant')[]; readonly priority?: number; readonly lastModified?: string };

/** One block of a tool's result. Binary data is base64 text. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string; readonly annotations?: ContentAnnotations }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string; readonly annotations?: ContentAnnotations }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
      readonly annotations?: ContentAnnotations;
    }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType?: string } & ({ readonly text: string } | { readonly blob: string });
      readonly annotations?: ContentAnnotations;
    };
