{{- define "sotto.name" -}}
{{- if contains "sotto" .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}{{ else }}{{ printf "%s-sotto" .Release.Name | trunc 53 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "sotto.selector" -}}
app.kubernetes.io/name: sotto
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sotto.labels" -}}
{{ include "sotto.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "sotto.isScaled" -}}
{{- if or .Values.autoscaling.enabled .Values.autoscaling.keda.enabled }}yes{{ end -}}
{{- end }}

{{- /* Until Redis has been reached a replica allows its share of a limit: of as many as there may be. */ -}}
{{- define "sotto.replicas" -}}
{{- if include "sotto.isScaled" . }}{{ .Values.autoscaling.maxReplicas }}{{ else }}{{ .Values.replicas }}{{ end -}}
{{- end }}
