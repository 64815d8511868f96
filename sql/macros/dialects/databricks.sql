{#-
title: Databricks
parent: spark
stand_in: Spark with ANSI mode on, which has the same text
-#}
