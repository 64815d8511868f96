{#-
title: Databricks
parent: spark
-#}
