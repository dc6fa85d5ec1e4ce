"""How a report's page looks, on a screen, on a phone and on paper; one accent colour, nothing from elsewhere."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light; --ink: #1d2528; --soft: #566166; --line: #d5dbdd; --tint: #f3f6f6; --tint2: #e6ecec;
  --accent: #0b5b66; --alert: #9c2f17; }
* { box-sizing: border-box; }
html { background: #fff; color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto,
  "Liberation Sans", sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 50rem; padding: 2.5rem 1.25rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .35rem; font-weight: 650; letter-spacing: -.01em; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.75rem 0 .75rem; padding-top: .8rem; font-weight: 650;
  border-top: 2px solid var(--accent); }
h3 { font-size: 1.03rem; line-height: 1.35; margin: 1.7rem 0 .5rem; font-weight: 650; }
h3 small { color: var(--soft); font-size: .875rem; font-weight: 400; }
p { margin: .6rem 0; }
.lead { font-size: 1.13rem; line-height: 1.5; }
.subtitle, footer { color: var(--soft); font-size: .92rem; }
.private { border: 2px solid var(--alert); color: var(--alert); padding: .5rem .8rem; font-weight: 600; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; margin: 1.2rem 0 0; padding: 0;
  font-size: .92rem; }
a { color: var(--accent); }
code { font: .92em ui-monospace, "Liberation Mono", Menlo, Consolas, monospace; background: var(--tint);
  padding: 0 .2em; }
ul.plain { padding-left: 1.2rem; }
ul.plain li { margin: .35rem 0; }
ul.statements { list-style: none; margin: 0; padding: 0; }
ul.statements li { display: grid; grid-template-columns: 6rem 1fr; gap: .9rem; padding: .6rem 0;
  border-bottom: 1px solid var(--line); align-items: start; }
.mark { display: inline-block; border: 1.5px solid var(--accent); color: var(--accent); border-radius: 3px;
  font-size: .82rem; font-weight: 650; text-align: center; padding: .1rem .3rem; white-space: nowrap; }
.mark.not-held { border-color: var(--alert); border-style: double; border-width: 4px; color: var(--alert); }
.mark.not-run { border-color: var(--soft); border-style: dashed; color: var(--soft); }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; line-height: 1.4; }
caption { text-align: left; color: var(--soft); padding: 0 0 .35rem; }
th, td { text-align: left; vertical-align: top; padding: .38rem .6rem .38rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: break-word; }
tbody th { min-width: 6.5rem; }
tbody th.number { min-width: 0; }
th.number, td.number { padding-left: .3rem; }
thead th { color: var(--soft); font-weight: 600; border-bottom: 1.5px solid var(--ink); vertical-align: bottom; }
tbody th { font-weight: 500; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 1.1rem 0; max-width: 34rem; }
figure.half { max-width: none; margin: 0; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1.4rem 1.6rem;
  margin: 1.1rem 0; }
figcaption { font-size: .92rem; font-weight: 600; margin-bottom: .3rem; }
.key { color: var(--soft); font-size: .875rem; font-weight: 400; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { font: 12.5px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; fill: var(--ink); }
svg .small { font-size: 11px; fill: var(--soft); }
svg .soft { fill: var(--soft); }
svg .strong { font-weight: 650; }
svg .halo, svg .strong { paint-order: stroke; stroke: #fff; stroke-width: 4px; }
svg .bar { fill: var(--accent); }
svg .axis { stroke: var(--ink); stroke-width: 1; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .band0 { fill: #eff3f3; }
svg .band1 { fill: #dfe7e8; }
svg .part0 { fill: #cfe0e2; }
svg .part1 { fill: #e9f1f2; }
svg .range { stroke: var(--accent); stroke-width: 2; }
svg .mean { fill: #fff; stroke: var(--accent); stroke-width: 2; }
svg .worst { fill: var(--accent); }
svg .curve { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
svg .asked { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 5 4; }
.attribute { border-top: 1px solid var(--line); padding: .1rem 0 .6rem; }
.attribute h3 { margin-top: .8rem; }
ul.chips { list-style: none; display: flex; flex-wrap: wrap; gap: .35rem; margin: .5rem 0; padding: 0;
  font-size: .875rem; }
.chip { border: 1px solid var(--accent); border-radius: 3px; padding: 0 .4rem; background: #fff; font-weight: 550; }
ul.tree, ul.tree ul { list-style: none; margin: 0; padding: 0; font-size: .9rem; }
ul.tree ul { margin-left: .55rem; padding-left: 1.1rem; border-left: 1px solid var(--line); }
ul.tree li { margin: .22rem 0; }
.above, .below, .count { color: var(--soft); }
.below { font-size: .875rem; }
details { margin: .3rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: .9rem; }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: .8rem; }
@media (max-width: 34rem) {
  body { padding: 1.5rem 1rem 3rem; }
  ul.statements li { grid-template-columns: 1fr; gap: .3rem; }
  .mark { justify-self: start; padding: .1rem .5rem; }
}
@page { size: A4; margin: 18mm 17mm 20mm; }
@media print {
  html { font-size: 10.5pt; line-height: 1.45; }
  body { max-width: none; padding: 0; }
  nav { display: none; }
  a { color: inherit; text-decoration: none; }
  h1, h2, h3, summary, figcaption, caption { break-after: avoid; }
  h2 { margin-top: 1.8rem; }
  p, li { orphans: 3; widows: 3; }
  h1, h2, h3, p, tr, figure, ul.statements li, .chip, .short { break-inside: avoid; }
  p:has(+ .wide), p:has(+ figure), p:has(+ .panels) { break-after: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; }
  table { font-size: 8.6pt; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
  summary { list-style: none; color: var(--soft); }
  summary::-webkit-details-marker { display: none; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
"""The style of every page."""
