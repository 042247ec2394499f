/** What views are built from. Chart and Graph load their libraries when they are first shown. */
export { Chart, type ChartProps, type ChartSeries } from "./chart";
export {
  Button,
  type Choice,
  IconButton,
  Kbd,
  Link,
  SearchField,
  Segmented,
  Select,
  Tabs,
  TextField,
} from "./controls";
export { confirm, Dialog } from "./dialog";
export { Diff } from "./diff";
export {
  Badge,
  Bar,
  type BarPart,
  Card,
  CategoryBadge,
  Code,
  CopyButton,
  categoryTone,
  EmptyState,
  ErrorState,
  Id,
  Loaded,
  Properties,
  Skeleton,
  StackedBar,
  Stat,
  StateBadge,
  sentenceCase,
  stateTone,
  Time,
  type Tone,
} from "./display";
export { Graph, type GraphEdge, type GraphNode, type GraphProps, prepareGraph } from "./graph";
export { Icon, type IconName } from "./icons";
export { Grid, Page, Split } from "./layout";
export { type Column, Table, VirtualList } from "./lists";
export { absoluteTime, compact, duration, relativeTime } from "./time";
export { toast, toastError } from "./toast";
