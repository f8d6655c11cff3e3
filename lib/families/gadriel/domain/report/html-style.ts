/** The style sheet of the report page: light and dark by the reader's setting, no fonts or pictures from anywhere. */
export const reportStyle = `
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--ink:#1b2230;--dim:#556074;--line:#d9dee7;--accent:#1d5fbf;
--critical:#a3123f;--high:#b4400b;--medium:#856200;--low:#1c6a8a;--info:#5a6472;--code:#eef1f5}
@media (prefers-color-scheme:dark){:root{--bg:#12161d;--card:#1a2029;--ink:#e6eaf1;--dim:#a0abbd;--line:#303948;--accent:#7fb2ff;
--critical:#ff7f9f;--high:#ff9d6b;--medium:#e8c254;--low:#74c7e8;--info:#b0bac8;--code:#232b37}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
main,header,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.25rem;margin:2.5rem 0 .75rem}
h3{font-size:1rem;margin:1.5rem 0 .5rem;text-transform:capitalize}
p{margin:.4rem 0}
.dim,footer{color:var(--dim)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem;z-index:1}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.75rem;border:0;padding:0;margin:1.5rem 0 0}
.tiles legend{padding:0;margin-bottom:.5rem;color:var(--dim)}
.tile{display:flex;gap:.6rem;align-items:center;background:var(--card);border:1px solid var(--line);border-left:5px solid;border-radius:8px;padding:.6rem .9rem;cursor:pointer;overflow-wrap:normal}
.tile b{font-size:1.5rem;line-height:1;font-variant-numeric:tabular-nums;color:var(--ink)}
.tile span{text-transform:capitalize;color:var(--ink)}
.tile input{width:1.1rem;height:1.1rem;margin:0 0 0 auto;accent-color:currentColor}
.critical{color:var(--critical)}.high{color:var(--high)}.medium{color:var(--medium)}.low{color:var(--low)}.info{color:var(--info)}
rect.critical{fill:var(--critical)}rect.high{fill:var(--high)}rect.medium{fill:var(--medium)}rect.low{fill:var(--low)}rect.info{fill:var(--info)}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%}
th,td{padding:.45rem .8rem;text-align:right;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums;white-space:nowrap}
tr:last-child>*{border-bottom:0}
th{font-weight:600;color:var(--dim)}thead th{text-transform:capitalize}
th:first-child,td.bar{text-align:left}th[scope=row]{font-weight:400;color:var(--ink);white-space:normal;min-width:9rem}
td.bar{width:30%;min-width:8rem}td.bar svg{display:block;width:100%;height:.75rem;border-radius:3px}
details{background:var(--card);border:1px solid var(--line);border-left:5px solid;border-radius:8px;margin:.5rem 0}
details>*{color:var(--ink)}
summary{padding:.6rem .9rem;cursor:pointer}
summary .where{color:var(--dim)}summary b{font-weight:600}
.body{padding:0 .9rem .8rem 1.9rem}
.trace{margin:.6rem 0;padding:.5rem .9rem .5rem 2.2rem;background:var(--code);border-radius:6px}
.remedy{border-left:3px solid var(--accent);padding-left:.75rem;margin:.7rem 0}
.facts{font-size:.875rem;color:var(--dim)}
.none{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1rem}
footer{padding-top:1.5rem;padding-bottom:3rem;font-size:.875rem}
${['critical', 'high', 'medium', 'low', 'info'].map((word) => `body:has(#show-${word}:not(:checked)) .group-${word}{display:none}`).join('\n')}
@media (max-width:40rem){td.bar,thead td{display:none}th,td{padding:.45rem .5rem}}
@media print{body{background:#fff}.tile input,.skip{display:none}details{break-inside:avoid}}
`;
